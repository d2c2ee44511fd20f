//! The rules that govern each VirtualMachine of a file, wherever they are written.

use std::sync::Arc;

use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_elaborate::annotation::{self, Annotation, AnnotationHolder, Key, TEMPLATE_ANNOTATIONS};
use kvrules_ir::{OmissionKind, Rule};
use kvrules_sources::ParsedFile;
use kvrules_syntax::{Document, Node, ProblemKind, SyntaxKind};

use crate::{REFUSAL, is_old};

/// The rules for each VirtualMachine, in the order of the file. A template without one, and an annotation by itself, count
/// as one machine.
pub(super) type GovernedRules = Vec<Vec<Arc<Rule>>>;

/// The rules of a file that was parsed.
pub(super) fn find_governed_rules(file: &ParsedFile<'_>) -> GovernedRules {
    let mut all = Vec::new();
    for document in &file.documents {
        let annotations = annotation::find_annotations(document);
        let mut machines: Vec<(u32, Vec<Arc<Rule>>)> = Vec::new();
        for found in annotations.iter().filter(|found| found.holder != AnnotationHolder::Instance) {
            for place in machine_starts(found) {
                let rules = annotation::read_rule_set(found, "").rules;
                match machines.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, known)) => known.extend(rules),
                    None => machines.push((place, rules)),
                }
            }
        }
        machines.sort_by_key(|(place, _)| *place);
        all.extend(machines.into_iter().map(|(_, rules)| rules));
    }
    all
}

/// Returns the starts of the machines that an annotation is for; without one, that of the template or the whole document.
fn machine_starts(found: &Annotation<'_>) -> Vec<u32> {
    let machines: Vec<_> = found.virtual_machines().map(|machine| machine.span().start).collect();
    let alone = found.template.map_or(0, |template| template.node().span().start);
    if machines.is_empty() { vec![alone] } else { machines }
}

/// Rules and annotations in an old form that cannot be read to their end, each with the reason.
pub(super) fn find_unreadable(file: &ParsedFile<'_>) -> Vec<Diagnostic> {
    let mut found = find_unread_documents(file);
    for document in &file.documents {
        for annotation in annotation::find_annotations(document).iter().filter(|found| is_old(found)) {
            let json = annotation.json().into_iter().flat_map(Document::problems);
            if let Some(problem) = json.into_iter().next() {
                found.push(refusal_diagnostic(
                    problem.span,
                    format!("the rules in `{}` are incomplete JSON", annotation.key_text()),
                ));
                continue;
            }
            found.extend(
                annotation
                    .rules()
                    .filter_map(|rule| Some(refusal_diagnostic(rule.span(), missing_keys(rule)?))),
            );
            let unread = annotation::read_rule_set(annotation, "").unread;
            let blocks = |kind| matches!(kind, OmissionKind::Unreadable | OmissionKind::PathSyntax);
            for left in unread.into_iter().filter(|left| blocks(left.cause.kind)) {
                let Some(span) = left.origin.span() else { continue };
                // A rule that lacks a key is reported already.
                if !found.iter().any(|known: &Diagnostic| known.primary.span == span) {
                    found.push(refusal_diagnostic(
                        span,
                        format!("{} cannot be read: {}", rule_title(&left.name), left.cause),
                    ));
                }
            }
        }
    }
    found
}

/// Reports the points where documents that may contain rules stop being read.
fn find_unread_documents(file: &ParsedFile<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (part, stream) in file.input.yaml_parts().into_iter().zip(file.streams) {
        if !file.source.text().get(part).is_some_and(|text| text.contains("validation")) {
            continue;
        }
        for document in &stream.documents {
            if let Some(problem) = document.template_problem() {
                let why = "the template cannot be parsed beyond this point without rendering".to_owned();
                found.push(refusal_diagnostic(problem.span, why).with_help("migrate the rendered template"));
            }
            let mut merged = Vec::new();
            document.root().into_iter().for_each(|root| merged_rules(root, &mut merged));
            found.extend(merged.into_iter().map(|span| {
                let why = "the rules come from a merge key".to_owned();
                refusal_diagnostic(span, why).with_help("write the annotation out where it is used")
            }));
            found.extend(find_duplicate_keys(file.source, document));
            let ends =
                |kind| matches!(kind, ProblemKind::Yaml | ProblemKind::TooDeep | ProblemKind::AliasExpansion);
            if let Some(problem) = document.problems().iter().find(|problem| ends(problem.kind)) {
                found.push(refusal_diagnostic(
                    problem.span,
                    "the YAML cannot be parsed beyond this point".to_owned(),
                ));
            }
        }
    }
    found
}

/// Duplicate keys on the path to rules. Kubernetes uses the last one, but the author may have intended both.
fn find_duplicate_keys(source: &SourceFile, document: &Document<'_>) -> Vec<Diagnostic> {
    const WAY: [&str; 5] = ["metadata", "annotations", "objects", "items", "virtualMachine"];
    if !annotation::find_annotations(document).iter().any(is_old) {
        return Vec::new();
    }
    let keys = document.problems().iter().filter(|problem| problem.kind == ProblemKind::DuplicateKey);
    let diagnostics = keys.filter_map(|problem| {
        let key = source.text().get(problem.span.to_range())?.trim_matches(['"', '\'']);
        let is_way = WAY.contains(&key);
        let why = format!("duplicate key `{key}`; rules may be in either");
        is_way.then(|| {
            refusal_diagnostic(problem.span, why).with_help("keep one of the two, with the rules of both")
        })
    });
    diagnostics.collect()
}

/// The maps that have an annotation by merging another map in, which nothing that reads annotations looks into.
fn merged_rules(node: Node<'_>, found: &mut Vec<Span>) {
    if node.is_alias() {
        return;
    }
    let own = |key: &str| node.entries().any(|entry| entry.key.text() == key);
    if node.has_merges() && TEMPLATE_ANNOTATIONS.iter().any(|key| node.get(key).is_some() && !own(key)) {
        found.push(node.span());
    }
    node.entries().for_each(|entry| merged_rules(entry.value, found));
    node.items().for_each(|item| merged_rules(item, found));
}

fn refusal_diagnostic(span: Span, why: String) -> Diagnostic {
    Diagnostic::refused_input(REFUSAL, span, why)
        .with_help("fix the errors that `kvrules check` reports first")
}

/// Returns the keys missing from a rule that every rule must have in either form.
fn missing_keys(rule: Node<'_>) -> Option<String> {
    let has = |key: &Key| rule.get(key.as_str()).is_some_and(|value| value.kind() != SyntaxKind::Null);
    let missing: Vec<_> =
        Key::MANDATORY.iter().filter(|key| !has(key)).map(|key| format!("`{}`", key.as_str())).collect();
    let name = rule.get(Key::Name.as_str()).and_then(Node::as_str).unwrap_or_default();
    (!missing.is_empty()).then(|| format!("{} lacks {}", rule_title(name), missing.join(" and ")))
}

fn rule_title(name: &str) -> String {
    if name.is_empty() { "a rule".to_owned() } else { format!("the rule `{name}`") }
}
