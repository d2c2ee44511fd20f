//! The fields of templates and constraints, and findings about them as they are written.
// frameworks constraint/pkg/apis/templates/v1/constrainttemplate_types.go; gatekeeper pkg/drivers/k8scel/schema/schema.go, Source

use kvrules_diagnostics::{Diagnostic, suggest_name};
use kvrules_syntax::Node;

use super::super::parts::{node_at, version_finding};
use super::{constraint_kind, find_source};
use crate::lints;
use crate::shape::{
    self,
    ExpectedShape::{self, Anything, Flag, List, Object, Schema, Text},
    check_shape,
};
use crate::text::backtick_text;

/// Prefix of names that the engine keeps for itself.
const RESERVED_PREFIX: &str = "gatekeeper_internal_";

const TEMPLATE: &[(&str, ExpectedShape)] = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Object(shape::METADATA)),
    ("spec", Object(SPEC)),
    ("status", Anything),
];

const SPEC: &[(&str, ExpectedShape)] =
    &[("crd", Object(&[("spec", Object(CRD_SPEC))])), ("targets", List(&Object(TARGET)))];

const CRD_SPEC: &[(&str, ExpectedShape)] = &[
    ("names", Object(&[("kind", Text), ("shortNames", List(&Text))])),
    ("validation", Object(&[("openAPIV3Schema", Schema(false, false)), ("legacySchema", Flag)])),
];

const TARGET: &[(&str, ExpectedShape)] = &[
    ("target", Text),
    ("operations", List(&Text)),
    ("rego", Text),
    ("libs", List(&Text)),
    ("code", List(&Object(&[("engine", Text), ("source", Anything)]))),
];

const SOURCE: &[(&str, ExpectedShape)] = &[
    ("validations", List(&Object(VALIDATION))),
    ("failurePolicy", Text),
    ("matchCondition", List(&Object(shape::NAMED))),
    ("variables", List(&Object(shape::NAMED))),
    ("generateVAP", Flag),
];

const VALIDATION: &[(&str, ExpectedShape)] =
    &[("expression", Text), ("message", Text), ("messageExpression", Text)];

/// Returns the findings about a template as its author wrote it.
pub(super) fn template_findings(node: Node<'_>) -> Vec<Diagnostic> {
    // A template in another language is not for us to judge.
    let Some(source) = find_source(node) else { return Vec::new() };
    let mut found = check_shape(node, TEMPLATE).findings;
    found.extend(check_shape(source, SOURCE).findings);
    found.extend(version_finding(node, "templates.gatekeeper.sh/v1"));
    found.extend(name_finding(node));
    found.extend(reserved_findings(source));
    found
}

/// Returns the findings about a constraint as its author wrote it.
pub(super) fn constraint_findings(node: Node<'_>) -> Vec<Diagnostic> {
    let written = node_at(node, &["spec", "enforcementAction"]).filter(|it| !it.is_templated());
    let actions = ["deny", "warn", "dryrun", "scoped"];
    let finding = |written: Node<'_>| {
        let action = written.text();
        let message = format!("invalid value {} for `enforcementAction`", backtick_text(action));
        lints::ADMISSION_POLICY
            .diagnostic_at(written.span(), message)
            .with_help(suggest_name(action, &actions))
    };
    let is_unknown = |it: &Node<'_>| it.as_str().is_some() && !actions.contains(&it.text());
    written.filter(is_unknown).map(finding).into_iter().collect()
}

/// The name of a template that is not the kind of its constraints in lower case.
// frameworks constraint/pkg/client/client.go, validateTemplateMetadata
fn name_finding(node: Node<'_>) -> Option<Diagnostic> {
    let name = node_at(node, &["metadata", "name"]).filter(|it| !it.is_templated())?;
    let kind = constraint_kind(node);
    let wanted = kind.to_lowercase();
    if kind.is_empty() || name.text().eq_ignore_ascii_case(kind) {
        return None;
    }
    let message = format!(
        "the template {} must have the name of its kind {} in lower case",
        backtick_text(name.text()),
        backtick_text(kind)
    );
    let help = format!("write {}", backtick_text(&wanted));
    Some(lints::ADMISSION_POLICY.diagnostic_at(name.span(), message).with_help(help))
}

/// Names that a template may not give to its variables and conditions.
// gatekeeper pkg/drivers/k8scel/schema/schema.go, validateVariables and validateMatchConditions
fn reserved_findings(source: Node<'_>) -> Vec<Diagnostic> {
    let named =
        |list: &str| source.get(list).into_iter().flat_map(Node::items).filter_map(|item| item.get("name"));
    let is_reserved = |name: &Node<'_>| {
        matches!(name.text(), "params" | "anyObject") || name.text().starts_with(RESERVED_PREFIX)
    };
    let is_prefixed = |name: &Node<'_>| name.text().starts_with(RESERVED_PREFIX);
    let reserved = named("variables").filter(is_reserved).chain(named("matchCondition").filter(is_prefixed));
    let finding = |name: Node<'_>| {
        let message = format!("the name {} is reserved for Gatekeeper", backtick_text(name.text()));
        lints::ADMISSION_POLICY.diagnostic_at(name.span(), message).with_help("use another name")
    };
    reserved.map(finding).collect()
}
