//! Objects that rules of templates decide about.

use crate::verdicts::{Evaluation, RuleAnswer};
use kvrules_diagnostics::{FileId, SourceFile};
use serde_json::Value;

use crate::answer::{AnswerVerdict, AnswerWarning, CaseAnswer, Violation};
use crate::model::CaseInput;
use crate::subject::TemplateSubject;

/// Returns the answer of the rules of a template about an object.
pub(super) fn answer_template(subject: &TemplateSubject, input: &CaseInput) -> CaseAnswer {
    let Some(evaluation) = evaluate_object(subject, &input.object) else {
        return CaseAnswer::unevaluated("the rules are about VirtualMachines, and this object is none");
    };
    if let Some(fault) = &evaluation.fault {
        return CaseAnswer::unevaluated(fault.message.clone());
    }
    let rules = evaluation.spec.as_ref().map(|answer| answer.rules.as_slice()).unwrap_or_default();
    let violated = || rules.iter().filter(|rule| rule.is_violated());
    let is_warning = |rule: &&RuleAnswer| rule.severity == Some("warning");
    let violation = |rule: &RuleAnswer| Violation {
        field: rule.values.first().map(|value| value.location.clone()).unwrap_or_default(),
        rules: vec![rule.name.clone(), rule.message.clone()],
        texts: vec![rule.message.clone(), rule.reason.clone().unwrap_or_default()],
        is_error: false,
    };
    let warning =
        |rule: &RuleAnswer| AnswerWarning { text: rule.message.clone(), message: rule.message.clone() };
    let verdict = match () {
        () if evaluation.is_rejected() => AnswerVerdict::Rejected,
        () if violated().next().is_some() => AnswerVerdict::Warned,
        () if !rules.is_empty() && rules.iter().all(|rule| rule.outcome == "skipped") => {
            AnswerVerdict::Skipped
        }
        () => AnswerVerdict::Accepted,
    };
    CaseAnswer {
        verdict,
        object: input.object.clone(),
        violations: violated().map(violation).collect(),
        warnings: violated().filter(is_warning).map(warning).collect(),
        ..CaseAnswer::default()
    }
}

/// Returns the evaluation of an object with the rules of a template.
pub(crate) fn evaluate_object(subject: &TemplateSubject, object: &Value) -> Option<Evaluation> {
    let source = SourceFile::new(FileId(0), "object.json", object.to_string());
    subject.evaluator().evaluate_objects(&source).into_iter().next()
}
