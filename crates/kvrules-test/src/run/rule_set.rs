//! Objects that RuleSets decide about.

use kvrules_apiserver::definition::AuthoredObjects;
use kvrules_apiserver::policy::{Policy, PolicyOutcome, report_request};
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use serde_json::{Map, json};

use super::compare::Mismatch;
use super::policy::to_request;
use crate::answer::{AnswerVerdict, AnswerWarning, CaseAnswer, Violation};
use crate::document::text_field;
use crate::model::{CaseInput, TestCase};
use crate::subject::{RuleSetSubject, Subject};

/// Returns the answer of the RuleSets about an object of their kind; `None` if there are none of it.
pub(super) fn answer_rule_sets(subject: &Subject, case: &TestCase, input: &CaseInput) -> Option<CaseAnswer> {
    let object = if input.object.is_null() { &input.old_object } else { &input.object };
    let (api_version, kind) = (text_field(object, "apiVersion"), text_field(object, "kind"));
    let own = subject.rule_sets.iter().filter(|set| set.is_for(api_version, kind));
    let answers = own.map(|set| answer_rule_set(set, case, input));
    answers.reduce(merge_answers)
}

fn answer_rule_set(subject: &RuleSetSubject, case: &TestCase, input: &CaseInput) -> CaseAnswer {
    let set = &subject.set;
    if !subject.is_whole {
        return CaseAnswer::unevaluated(format!("the RuleSet `{}` has errors", set.name));
    }
    let skipped = || CaseAnswer {
        verdict: AnswerVerdict::Skipped,
        is_unmatched: true,
        object: input.object.clone(),
        ..CaseAnswer::default()
    };
    if input.object.is_null() {
        return skipped();
    }
    if case.expected.example.is_none() {
        match is_selected(set, input) {
            Ok(true) => {}
            Ok(false) => return skipped(),
            Err(reason) => return CaseAnswer::unevaluated(reason),
        }
    }
    let stored = Some(&input.old_object).filter(|old| !old.is_null());
    to_answer(input, &set.find_violations(&input.object, stored))
}

fn to_answer(input: &CaseInput, violated: &[&AuthoredRule]) -> CaseAnswer {
    let has = |severity: RuleSeverity| violated.iter().any(|rule| rule.severity == severity);
    let violation = |rule: &&AuthoredRule| Violation {
        field: String::new(),
        rules: vec![rule.name.clone(), rule.message.clone()],
        texts: vec![rule.message.clone()],
        is_error: false,
    };
    let of = |severity: RuleSeverity| violated.iter().filter(move |rule| rule.severity == severity);
    let warning =
        |rule: &&AuthoredRule| AnswerWarning { text: rule.message.clone(), message: rule.message.clone() };
    CaseAnswer {
        verdict: match () {
            () if has(RuleSeverity::Error) => AnswerVerdict::Rejected,
            () if has(RuleSeverity::Warn) => AnswerVerdict::Warned,
            () => AnswerVerdict::Accepted,
        },
        object: input.object.clone(),
        violations: violated.iter().map(violation).collect(),
        warnings: of(RuleSeverity::Warn).map(warning).collect(),
        audit: of(RuleSeverity::Audit).map(|rule| (rule.name.clone(), rule.message.clone())).collect(),
        ..CaseAnswer::default()
    }
}

/// The answer of two sides about one request.
pub(super) fn merge_answers(one: CaseAnswer, other: CaseAnswer) -> CaseAnswer {
    if one.verdict == AnswerVerdict::Unevaluated || other.verdict == AnswerVerdict::Unevaluated {
        return if one.verdict == AnswerVerdict::Unevaluated { one } else { other };
    }
    let weight = |verdict: AnswerVerdict| match verdict {
        AnswerVerdict::Rejected => 3,
        AnswerVerdict::Warned => 2,
        AnswerVerdict::Accepted => 1,
        AnswerVerdict::Skipped | AnswerVerdict::Unevaluated => 0,
    };
    let (mut heavier, lighter) =
        if weight(other.verdict) > weight(one.verdict) { (other, one) } else { (one, other) };
    heavier.violations.extend(lighter.violations);
    heavier.warnings.extend(lighter.warnings);
    heavier.audit.extend(lighter.audit);
    heavier
}

/// True if the set selects the request: as match constraints of a policy do, which it becomes.
fn is_selected(set: &RuleSet, input: &CaseInput) -> Result<bool, String> {
    let Some(selection) = &set.selection else { return Ok(true) };
    let version = &set.subject.version;
    let rule = |(group, plural): &(String, String)| {
        json!({
            "apiGroups": [group], "apiVersions": ["*"], "operations": selection.listed_operations(),
            "resources": [plural],
        })
    };
    let own = [(version.group.clone(), version.plural.clone())];
    let every = [("*".to_owned(), "*".to_owned())];
    let is_of_any = set.subject.objects == AuthoredObjects::OfAnyKind;
    let resources: &[(String, String)] = match is_of_any {
        true if selection.resources.is_empty() => &every,
        true => &selection.resources,
        false => &own,
    };
    let rules: Vec<_> = resources.iter().map(rule).collect();
    let mut constraints = Map::from_iter([("resourceRules".to_owned(), json!(rules))]);
    constraints.extend(selection.selectors.clone());
    let conditions = selection.match_conditions();
    let policy = json!({"metadata": {"name": set.name}, "spec": {"matchConstraints": constraints, "matchConditions": conditions}});
    let resource = if is_of_any { input.resource.clone() } else { Some(version.plural.clone()) };
    let is_namespaced = version.is_namespaced || is_of_any;
    let namespace = if is_namespaced { input.namespace.clone() } else { Some(String::new()) };
    let request = to_request(&CaseInput { resource, namespace, ..input.clone() }, None);
    let reports = report_request(&[Policy::from_json(&policy)], &[], &request);
    match reports.first().map(|report| &report.outcome) {
        Some(PolicyOutcome::NotMatched(_) | PolicyOutcome::Exempt) => Ok(false),
        Some(PolicyOutcome::Unsupported(what)) => {
            Err(format!("`match` needs {what}, which the case does not give"))
        }
        _ => Ok(true),
    }
}

/// Compares an example with the verdict of its RuleSet.
pub(super) fn compare_example(case: &TestCase, subject: &Subject) -> Option<Vec<Mismatch>> {
    let example = case.expected.example.as_ref()?;
    let set = &subject.rule_sets.first()?.set;
    let differences = set.compare_example(example).into_iter();
    let to_mismatch = |it: kvrules_rule_set::ExampleDifference| {
        let actual = Some(it.help).filter(|help| !help.is_empty());
        Mismatch { actual, ..Mismatch::sentence(it.span, it.message) }
    };
    Some(differences.map(to_mismatch).collect())
}
