//! The fields of Kyverno's policies, and findings about them as they are written.
// kyverno api policies.kyverno.io/v1beta1/validating_policy.go and common.go

use kvrules_diagnostics::{Diagnostic, quote_names, suggest_name};
use kvrules_syntax::Node;

use super::super::parts::{node_at, text_at, version_finding};
use super::autogen::controller_names;
use crate::lints;
use crate::shape::{
    self,
    ExpectedShape::{self, Anything, Flag, List, Object, Text, Whole},
    check_shape,
};
use crate::text::backtick_text;

const POLICY: &[(&str, ExpectedShape)] = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Object(shape::METADATA)),
    ("spec", Object(SPEC)),
    ("status", Anything),
];

const SPEC: &[(&str, ExpectedShape)] = &[
    ("matchConstraints", Object(shape::MATCH)),
    ("validations", List(&Object(shape::VALIDATION))),
    ("failurePolicy", Text),
    ("auditAnnotations", List(&Object(shape::AUDIT_ANNOTATION))),
    ("matchConditions", List(&Object(shape::NAMED))),
    ("variables", List(&Object(shape::NAMED))),
    ("validationActions", List(&Text)),
    ("autogen", Object(AUTOGEN)),
    ("webhookConfiguration", Object(&[("timeoutSeconds", Whole)])),
    ("evaluation", Object(EVALUATION)),
];

const AUTOGEN: &[(&str, ExpectedShape)] = &[
    ("podControllers", Object(&[("controllers", List(&Text))])),
    ("validatingAdmissionPolicy", Object(&[("enabled", Flag)])),
];

const EVALUATION: &[(&str, ExpectedShape)] = &[
    ("mode", Text),
    ("admission", Object(&[("enabled", Flag)])),
    ("background", Object(&[("enabled", Flag)])),
];

const EXCEPTION: &[(&str, ExpectedShape)] = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Object(shape::METADATA)),
    ("spec", Object(EXCEPTION_SPEC)),
];

const EXCEPTION_SPEC: &[(&str, ExpectedShape)] = &[
    ("policyRefs", List(&Object(&[("name", Text), ("kind", Text)]))),
    ("matchConditions", List(&Object(shape::NAMED))),
    ("images", List(&Text)),
    ("allowedValues", List(&Text)),
    ("reportResult", Text),
];

/// Returns the findings about a policy or an exception as its author wrote it.
pub(super) fn written_findings(node: Node<'_>) -> Vec<Diagnostic> {
    let is_exception = text_at(node, &["kind"]) == "PolicyException";
    let mut found = check_shape(node, if is_exception { EXCEPTION } else { POLICY }).findings;
    found.extend(version_finding(node, "policies.kyverno.io/v1"));
    if !is_exception {
        found.extend(mode_finding(node));
        found.extend(controller_finding(node));
    }
    found
}

fn mode_finding(node: Node<'_>) -> Option<Diagnostic> {
    let written = node_at(node, &["spec", "evaluation", "mode"]).filter(|it| !it.is_templated())?;
    let modes = ["Kubernetes", "JSON"];
    if written.text().is_empty() || modes.contains(&written.text()) {
        return None;
    }
    let message = format!("invalid value {} for `mode`", backtick_text(written.text()));
    Some(
        lints::ADMISSION_POLICY
            .diagnostic_at(written.span(), message)
            .with_help(suggest_name(written.text(), &modes)),
    )
}

/// Controllers that Kyverno has no rules for; it ignores their names.
// kyverno pkg/cel/policies/vpol/autogen/autogen.go, generateRuleForControllers
fn controller_finding(node: Node<'_>) -> Option<Diagnostic> {
    let listed = node_at(node, &["spec", "autogen", "podControllers", "controllers"])?;
    let known: Vec<&str> = controller_names().collect();
    let unknown: Vec<&str> = listed
        .items()
        .filter(|item| !item.is_templated() && !known.contains(&item.text()))
        .map(Node::text)
        .collect();
    if unknown.is_empty() || listed.is_templated() {
        return None;
    }
    let noun = if unknown.len() == 1 { "controller" } else { "controllers" };
    let shown = quote_names(&unknown, unknown.len());
    let message = format!("unknown {noun} {shown}, for which Kyverno generates no rules");
    let listed_names = quote_names(&known, known.len());
    let finding = lints::UNKNOWN_RESOURCE.diagnostic_at(listed.span(), message);
    Some(finding.with_help(format!("write resources in lower case: {listed_names}")))
}
