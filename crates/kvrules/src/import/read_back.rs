//! RuleSets read back as `eval` reads them, so that nothing is written that it refuses.

use kvrules_diagnostics::{FileId, Level, SourceFile, Span};
use kvrules_elaborate::catalog::Catalog;
use kvrules_import::{ImportedForm, ImportedRuleSet, to_yaml};
use kvrules_sources::{ReadContext, SubjectFiles, read_file};
use kvrules_syntax::{Document, parse_stream};
use serde_json::Value;

use super::context::ImportContext;

/// Leaves out the rules that a reader of the RuleSet finds an error in, such as two that contradict each other.
pub(super) fn leave_out_refused_rules(
    set: &mut ImportedRuleSet,
    source: &SourceFile,
    context: ImportContext<'_>,
) {
    while let Some((name, message)) = find_refused_rule(&set.document, source, context) {
        let Some(rule) = set.rules.iter_mut().find(|rule| rule.entries.contains(&name)) else { return };
        let entries = std::mem::take(&mut rule.entries);
        rule.form = ImportedForm::LeftOut(message);
        rule.lost.clear();
        rule.wider = None;
        let rules = set.document.pointer_mut("/spec/rules").and_then(Value::as_array_mut);
        let is_kept = |rule: &Value| {
            rule.get("name").and_then(Value::as_str).is_none_or(|name| !entries.iter().any(|it| it == name))
        };
        if let Some(rules) = rules {
            rules.retain(is_kept);
        }
    }
}

/// The name of the rule that has the first error of a RuleSet, with the error.
fn find_refused_rule(
    document: &Value,
    source: &SourceFile,
    context: ImportContext<'_>,
) -> Option<(String, String)> {
    let has_rules = document.pointer("/spec/rules")?.as_array().is_some_and(|rules| !rules.is_empty());
    if !has_rules {
        return None;
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
    let reading = read_file(&written, &reader);
    let error = reading.diagnostics.into_iter().find(|found| found.level == Level::Error)?;
    Some((rule_at(&written, error.primary.span)?, error.message))
}

/// The name of the rule of a RuleSet that a place is in.
fn rule_at(written: &SourceFile, place: Span) -> Option<String> {
    let stream = parse_stream(written.id(), written.text());
    let root = stream.documents.first().and_then(Document::root)?;
    let mut rules = root.get("spec")?.get("rules")?.items();
    let rule = rules.find(|rule| {
        let span = rule.span();
        span.start <= place.start && place.end <= span.end
    })?;
    Some(rule.get("name")?.text().to_owned())
}
