//! The oldest version whose server takes a definition or a policy.

use kvrules_apiserver::definition::schema_plans;
use kvrules_apiserver::policy::acceptance::policy_refusals;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::kubernetes::is_too_large;
use kvrules_syntax::value::request_value;
use kvrules_syntax::{Document, Node};
use serde_json::Value;

use super::constructs::ignored_field_findings;
use super::policies::{VersionedPolicy, served_api_finding, serves_policy};
use super::reviews::VersionReviews;
use super::subject::VersionedDefinition;
use crate::cost::readable_definitions;
use crate::placeholders::Placeholders;
use crate::resource::{Resource, ResourceKind, find_resources};
use crate::schema_review::find_versions;
use crate::shape;

/// The oldest version for a definition or a policy.
#[derive(Clone, Debug)]
pub struct OldestVersion {
    /// Name of the resource.
    pub name: String,
    /// Location of its kind.
    pub span: Span,
    /// The oldest version that takes it, as all newer ones do; `None` if the newest does not.
    pub oldest: Option<KubernetesVersion>,
    /// Reasons why the version before does not, at their places; empty if there is none.
    pub reasons: Vec<Diagnostic>,
    /// Fields that the oldest version or newer ones ignore.
    pub ignored: Vec<Diagnostic>,
    /// True if a version may reject what a template is rendered to.
    pub is_undecided: bool,
}

/// Returns the oldest version for each definition and each policy in documents. What the server could not read is left out of them.
///
/// ```
/// use kvrules_diagnostics::{FileId, SourceFile};
///
/// let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: nets.example.com}\n\
///     spec:\n  group: example.com\n  scope: Cluster\n  names: {plural: nets, kind: Net}\n  versions:\n  - name: v1\n    served: true\n\
///     \x20   storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          cidr:\n\
///     \x20           type: string\n            maxLength: 50\n            x-kubernetes-validations:\n            - rule: isCIDR(self)\n";
/// let source = SourceFile::new(FileId(0), "crd.yaml", text);
/// let stream = kvrules_syntax::parse_stream(source.id(), source.text());
/// let documents: Vec<_> = stream.documents.iter().collect();
/// let found = kvrules_crd::find_oldest_versions(&documents);
/// assert_eq!(found[0].oldest, "1.31".parse().ok());
/// assert_eq!(found[0].reasons[0].message, "needs Kubernetes 1.31 or newer: `isCIDR`");
/// ```
pub fn find_oldest_versions(documents: &[&Document<'_>]) -> Vec<OldestVersion> {
    let mut found = Vec::new();
    for document in documents {
        let resources = find_resources(document);
        let placeholders = Placeholders::of(document, &resources);
        let definitions = readable_definitions(document).into_iter();
        found.extend(definitions.filter_map(|node| of_definition(node, &placeholders, &resources)));
        found.extend(readable_policies(document).into_iter().filter_map(of_policy));
    }
    found.sort_by_key(|it: &OldestVersion| it.span.start);
    found
}

/// The policies of a document that can be read and do not depend on parameters.
fn readable_policies<'d>(document: &'d Document<'d>) -> Vec<Node<'d>> {
    if !crate::is_sound(document) {
        return Vec::new();
    }
    let mut found = find_resources(document);
    found.retain(|resource| {
        resource.kind == ResourceKind::Policy && !crate::notations::is_generated(resource.node)
    });
    let placeholders = Placeholders::of(document, &found);
    let nodes = found.iter().map(|resource| resource.node);
    nodes.filter(|node| !crate::templated::depends_on_parameters(&placeholders, *node)).collect()
}

fn of_policy(node: Node<'_>) -> Option<OldestVersion> {
    if is_too_large(node) {
        return None;
    }
    let dropped = shape::check_shape(node, shape::of_kind(ResourceKind::Policy)).dropped;
    let document = request_value(node, &dropped)?;
    if crate::notations::is_restated(node) {
        return Some(of_other_engine(node, &document));
    }
    let policy = VersionedPolicy { node, document: &document, old: None };
    let only = |version| KubernetesVersions::from_versions([version]);
    let is_taken = |version: &KubernetesVersion| {
        serves_policy(node, *version)
            && only(*version).is_some_and(|versions| policy.find_problems(versions).selected.is_empty())
    };
    let oldest = KubernetesVersion::all_known().rev().take_while(is_taken).last();
    // A policy of an API that is no longer served has no oldest version, and this as the reason.
    let before = match oldest {
        Some(oldest) => oldest.previous().and_then(only),
        None if !serves_policy(node, KubernetesVersion::NEWEST) => Some(KubernetesVersions::default()),
        None => None,
    };
    let reasons = before.map(|before| match served_api_finding(node, before) {
        Some(finding) => vec![finding],
        None => policy.new_findings(&policy.find_problems(before)),
    });
    Some(OldestVersion {
        name: resource_name(node),
        span: node.get("kind").unwrap_or(node).span(),
        oldest,
        reasons: reasons.unwrap_or_default(),
        ignored: Vec::new(),
        is_undecided: false,
    })
}

/// A policy that another engine evaluates: the server's version does not matter.
fn of_other_engine(node: Node<'_>, document: &Value) -> OldestVersion {
    let oldest = KubernetesVersion::all_known().next();
    OldestVersion {
        name: resource_name(node),
        span: node.get("kind").unwrap_or(node).span(),
        oldest: oldest.filter(|_| policy_refusals(document, None).is_empty()),
        reasons: Vec::new(),
        ignored: Vec::new(),
        is_undecided: false,
    }
}

fn resource_name(node: Node<'_>) -> String {
    let name = node.get("metadata").and_then(|metadata| metadata.get("name"));
    name.map(|name| name.text_with_tags().into_owned()).unwrap_or_default()
}

fn of_definition(
    node: Node<'_>,
    placeholders: &Placeholders<'_>,
    resources: &[Resource<'_>],
) -> Option<OldestVersion> {
    let (document, dropped) = crate::cost::definition_value(node)?;
    let mut reviews = VersionReviews::of_definition(&document, None, KubernetesVersion::all_known());
    let schemas = find_versions(node, &document, schema_plans(&document, None), &dropped);
    let definition = VersionedDefinition { node, document: &document, old: None, schemas: &schemas };
    let is_undecided = !placeholders.is_empty()
        && reviews.leave_out(|error| {
            let span = definition.find_span(&error.field);
            let finding = crate::lints::KUBERNETES_SHAPE.diagnostic_at(span, error.detail.as_str());
            !crate::templated::is_certain(placeholders, resources, &finding)
        });
    let is_taken = |version: &KubernetesVersion| !reviews.is_rejected_by(*version);
    let oldest = KubernetesVersion::all_known().rev().take_while(is_taken).last();
    let before = oldest.and_then(KubernetesVersion::previous);
    let before = before.and_then(|version| KubernetesVersions::from_versions([version]));
    let reasons = before.map(|before| definition.new_findings(&reviews, before)).unwrap_or_default();
    let taking =
        KubernetesVersion::all_known().filter(|version| oldest.is_some_and(|oldest| *version >= oldest));
    let ignored = KubernetesVersions::from_versions(taking)
        .map(|versions| ignored_field_findings(&definition, versions, &document))
        .unwrap_or_default();
    Some(OldestVersion {
        name: resource_name(node),
        span: node.get("kind").unwrap_or(node).span(),
        oldest,
        reasons,
        ignored,
        is_undecided,
    })
}
