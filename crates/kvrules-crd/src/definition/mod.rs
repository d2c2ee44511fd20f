//! CustomResourceDefinitions: the envelope, the schema of each version, and its rules.

mod contradictions;
mod envelope;
mod envelope_messages;
mod int_or_string;
mod keyword_rule;
mod patch;
mod removable_values;
mod rule_sense;
mod rules;
mod schema;
mod schema_messages;
mod unapplied_defaults;
mod unconverted_fields;
mod undeclared_fields;

use std::collections::BTreeMap;

use kvrules_apiserver::definition::decoding_error;
use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Span};
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::is_too_large;
use kvrules_syntax::value::request_value;

use crate::lints;
use crate::resource::ResourceKind;
use crate::run_resources::RunResources;
use crate::schema_review::{SchemaReviews, find_versions};
use crate::server_versions::{VersionedDefinition, check_versions};
use crate::shape;
use crate::stored_resources::StoredResources;
use crate::text::backtick_text;
use rule_sense::RuleSenses;
pub(crate) use rule_sense::note_missing_proof;

pub use rule_sense::count_rule_problems;
pub(crate) use rule_sense::enum_finding;

/// Result of checking a definition.
#[derive(Default)]
pub(crate) struct DefinitionCheck {
    pub(crate) findings: Vec<Diagnostic>,
    /// Number of rules.
    pub(crate) rules: usize,
}

/// Checks a definition.
pub(crate) fn check_definition(
    source: &SourceFile,
    node: Node<'_>,
    old: &StoredResources,
    run: &RunResources,
) -> DefinitionCheck {
    if let Some(finding) = other_version(node) {
        return DefinitionCheck { findings: vec![finding], rules: 0 };
    }
    if is_too_large(node) {
        let message = "definition exceeds the request limit of the server";
        let help = "the limit is 3 MiB, with aliases expanded";
        let span = node.get("kind").unwrap_or(node).span();
        return DefinitionCheck {
            findings: vec![lints::KUBERNETES_SHAPE.diagnostic_at(span, message).with_help(help)],
            rules: 0,
        };
    }
    let shaped = shape::check_shape(node, shape::of_kind(ResourceKind::Definition));
    let mut checked = DefinitionCheck { findings: shaped.findings, rules: 0 };
    if let Some(note) = patch::patch_note(node) {
        checked.findings.push(note);
        return checked;
    }
    let Some(document) = request_value(node, &shaped.dropped) else { return checked };
    let old = old.find_replaced(ResourceKind::Definition, &document);
    let (findings, plans) = envelope::check_envelope(node, &document, old, &shaped.dropped);
    checked.findings.extend(findings);
    let versions = find_versions(node, &document, plans, &shaped.dropped);
    let mut reviews = SchemaReviews::default();
    let reviewed: Vec<_> = versions.iter().map(|version| reviews.review_version(version)).collect();
    let mut senses = RuleSenses::default();
    for (version, reviewed) in versions.iter().zip(&reviewed) {
        schema::check_schema(source, version, reviewed, &mut checked);
        if !run.is_for_errors {
            senses.check_rules(source, version, reviewed, run.explains_proofs, &mut checked.findings);
        }
    }
    checked.findings.extend(shape::decode_finding(node, decoding_error(&document), &checked.findings));
    if !run.is_for_errors && checked.findings.iter().all(|finding| finding.level != Level::Error) {
        let defaults =
            versions.iter().flat_map(|version| unapplied_defaults::default_findings(source, version));
        checked.findings.extend(defaults);
        checked
            .findings
            .extend(versions.iter().flat_map(|version| removable_values::removal_findings(source, version)));
        checked.findings.extend(unconverted_fields::conversion_findings(node, &document));
    }
    if !run.versions.is_newest_alone() {
        let definition = VersionedDefinition { node, document: &document, old, schemas: &versions };
        checked.findings = check_versions(&definition, run.versions, checked.findings);
    }
    checked.findings = merge_findings(checked.findings);
    checked
}

/// Merges findings: if the server rejects a misread value, one finding reports both, with the repair of the other.
fn merge_findings(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (misread, mut others): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.is_of(&lints::MISREAD_SCALAR));
    if misread.is_empty() {
        return others;
    }
    let mut refused: BTreeMap<Span, &mut Diagnostic> = BTreeMap::new();
    let errors = others.iter_mut().filter(|finding| finding.level == Level::Error);
    refused.extend(errors.map(|finding| (finding.primary.span, finding)));
    let mut alone = Vec::new();
    for finding in misread {
        match refused.get_mut(&finding.primary.span) {
            Some(error) => {
                error.help = finding.help.map(|help| format!("{}: {help}", finding.message));
                error.fix = finding.fix;
            }
            None => alone.push(finding),
        }
    }
    others.extend(alone);
    others
}

/// The finding that a document is of another version of the API than the one that is checked.
fn other_version(node: Node<'_>) -> Option<Diagnostic> {
    let Some(entry) = node.entry("apiVersion") else {
        let span = node.get("kind").unwrap_or(node).span();
        let finding = lints::KUBERNETES_SHAPE.diagnostic_at(span, "missing `apiVersion` of the definition");
        return Some(finding.with_help("write `apiVersion: apiextensions.k8s.io/v1`"));
    };
    let version = entry.value.text();
    if version == "apiextensions.k8s.io/v1" || entry.value.is_templated() {
        return None;
    }
    let message = format!("definitions of {} are no longer served", backtick_text(version));
    let help = "write `apiextensions.k8s.io/v1`, the only one since Kubernetes 1.22; put `spec.version` into `spec.versions` \
                with `served` and `storage`, and move `spec.validation` to `schema` of each version";
    Some(lints::KUBERNETES_SHAPE.diagnostic_at(entry.value.span(), message).with_help(help))
}
