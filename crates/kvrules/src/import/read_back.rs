//! RuleSets read back as `eval` reads them, so that nothing is written that it refuses.

use kvrules_diagnostics::{FileId, Level, SourceFile, Span};
use kvrules_elaborate::catalog::Catalog;
use kvrules_import::{ImportedForm, ImportedRuleSet, to_yaml};
use kvrules_sources::{ReadContext, SubjectFiles, read_file};
use kvrules_syntax::{Document, source_stream};
use serde_json::Value;

use super::context::ImportContext;

/// Number of times that a RuleSet is read back. The rules that have an error then are left out together.
const MOST_READINGS: usize = 24;

/// Leaves out the rules that a reader of the RuleSet finds an error in, such as two that contradict each other.
pub(super) fn leave_out_refused_rules(
    set: &mut ImportedRuleSet,
    source: &SourceFile,
    context: ImportContext<'_>,
) {
    for reading in 1..=MOST_READINGS {
        let refused = find_refused_rules(&set.document, source, context);
        if refused.is_empty() {
            return;
        }
        // Without one rule, another may be right.
        let taken = if reading == MOST_READINGS { refused.len() } else { 1 };
        for (name, message) in refused.into_iter().take(taken) {
            leave_out_rule(set, &name, &message);
        }
    }
}

/// Takes the rule of the source out that a rule of the RuleSet expresses.
fn leave_out_rule(set: &mut ImportedRuleSet, name: &str, message: &str) {
    let Some(rule) = set.rules.iter_mut().find(|rule| rule.entries.iter().any(|it| it == name)) else {
        return;
    };
    let entries = std::mem::take(&mut rule.entries);
    rule.form = ImportedForm::LeftOut(format!("as the rule `{name}`: {message}"));
    rule.lost.clear();
    rule.wider = None;
    let is_kept = |rule: &Value| {
        rule.get("name").and_then(Value::as_str).is_none_or(|name| !entries.iter().any(|it| it == name))
    };
    if let Some(rules) = set.document.pointer_mut("/spec/rules").and_then(Value::as_array_mut) {
        rules.retain(is_kept);
    }
}

/// The names of the rules that have an error in a RuleSet, with the errors.
fn find_refused_rules(
    document: &Value,
    source: &SourceFile,
    context: ImportContext<'_>,
) -> Vec<(String, String)> {
    let rules = document.pointer("/spec/rules").and_then(Value::as_array);
    if rules.is_none_or(Vec::is_empty) {
        return Vec::new();
    }
    let written = SourceFile::new(FileId(0), "rules.yaml", to_yaml(document));
    let mut subjects = SubjectFiles::default();
    subjects.read_named_files(&written, &mut |named| match context.schema {
        Some((file, path)) if path == named => Ok(file.text().to_owned()),
        _ => Ok(source.text().to_owned()),
    });
    let mut reader = ReadContext::new(Catalog::kubevirt_vm()).with_subjects(&subjects);
    if let Some(resources) = context.resources {
        reader = reader.with_resources(resources);
    }
    let found = read_file(&written, &reader).diagnostics;
    let errors = found.into_iter().filter(|found| found.level == Level::Error);
    errors.filter_map(|error| Some((rule_at(&written, error.primary.span)?, error.message))).collect()
}

/// The name of the rule of a RuleSet that a place is in.
fn rule_at(written: &SourceFile, place: Span) -> Option<String> {
    let stream = source_stream(written);
    let root = stream.documents.first().and_then(Document::root)?;
    let mut rules = root.get("spec")?.get("rules")?.items();
    let rule = rules.find(|rule| {
        let span = rule.span();
        span.start <= place.start && place.end <= span.end
    })?;
    Some(rule.get("name")?.text().to_owned())
}
