//! Annotations, read back and evaluated by what they mean.

use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::{annotation, elaborate_rule_set};
use kvrules_emit::OutputFile;
use kvrules_eval::{Outcome, Program};
use kvrules_ir::{ElaboratedRule, Severity};
use kvrules_syntax::parse_stream;
use serde_json::Value;

use super::{RunContext, RunError};
use crate::claims::ObjectVerdict;

/// The rules that were read back.
pub(crate) struct AnnotationRules(Vec<Program>);

impl AnnotationRules {
    /// The rules of all files.
    pub(super) fn new(files: &[OutputFile], context: &RunContext<'_>) -> Result<Self, RunError> {
        let mut programs = Vec::new();
        for file in files {
            let rules = read_annotation(file, &context.set.name, context.catalog)?;
            programs.extend(to_programs(&rules, context)?);
        }
        Ok(Self(programs))
    }

    /// Returns the verdict of all rules together.
    pub(super) fn object_verdict(&self, object: &Value) -> ObjectVerdict {
        let mut actual = ObjectVerdict::default();
        for verdict in self.0.iter().map(|program| program.evaluate_object(object)) {
            if verdict.outcome == Outcome::Violated {
                actual.rejects |= verdict.severity == Severity::Error;
                actual.warns |= verdict.severity == Severity::Warning;
            }
        }
        actual
    }
}

/// Returns the rules of a file with annotations, with their meaning decided.
pub(crate) fn read_annotation(
    file: &OutputFile,
    name: &str,
    catalog: &Catalog,
) -> Result<Vec<ElaboratedRule>, RunError> {
    let mut rules = Vec::new();
    for document in &parse_stream(FileId(0), &file.text).documents {
        if let Some(problem) = document.problems().first() {
            return Err(RunError(format!("`{}` cannot be read back: {}", file.path, problem.detail)));
        }
        for found in annotation::find_annotations(document) {
            let elaboration = elaborate_rule_set(&annotation::read_rule_set(&found, name), catalog);
            if let Some(left_out) = elaboration.left_out.first() {
                return Err(RunError(format!(
                    "the rule `{}` cannot be read back: {}",
                    left_out.name, left_out.cause
                )));
            }
            rules.extend(elaboration.rules);
        }
    }
    Ok(rules)
}

/// The rules of an annotation, which must be rules of the set with their names and messages, ready to evaluate objects.
fn to_programs(rules: &[ElaboratedRule], context: &RunContext<'_>) -> Result<Vec<Program>, RunError> {
    let name_and_message = |rule: &ElaboratedRule| (rule.name.clone(), rule.message.clone());
    for rule in rules {
        if !context.set.rules.iter().any(|own| name_and_message(own) == name_and_message(rule)) {
            return Err(RunError(format!(
                "the rule `{}` is read back with another name or message",
                rule.name
            )));
        }
    }
    rules.iter().map(|rule| Program::new(rule).map_err(|error| RunError(error.to_string()))).collect()
}
