//! The oldest version whose server takes a definition.

use kvrules_apiserver::definition::schema_plans;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::{Document, Node};

use super::constructs::ignored_field_findings;
use super::reviews::VersionReviews;
use super::subject::VersionedDefinition;
use crate::cost::readable_definitions;
use crate::schema_review::find_versions;

/// The oldest version for a definition.
#[derive(Clone, Debug)]
pub struct DefinitionMinimum {
    /// Name of the definition.
    pub name: String,
    /// Location of its kind.
    pub span: Span,
    /// The oldest version that takes it, as all newer ones do; `None` if the newest does not.
    pub oldest: Option<KubernetesVersion>,
    /// Reasons why the version before does not, at their places; empty if there is none.
    pub reasons: Vec<Diagnostic>,
    /// Fields that the oldest version or newer ones ignore.
    pub ignored: Vec<Diagnostic>,
}

/// Returns the oldest version for each definition in documents. What the server could not read is left out of them.
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
pub fn find_oldest_versions(documents: &[&Document<'_>]) -> Vec<DefinitionMinimum> {
    let definitions = documents.iter().flat_map(|document| readable_definitions(document));
    definitions.filter_map(of_definition).collect()
}

fn of_definition(node: Node<'_>) -> Option<DefinitionMinimum> {
    let (document, dropped) = crate::cost::definition_value(node)?;
    let reviews = VersionReviews::of_definition(&document, None, KubernetesVersion::all_known());
    let is_taken = |version: &KubernetesVersion| !reviews.is_rejected_by(*version);
    let oldest = KubernetesVersion::all_known().rev().take_while(is_taken).last();
    let schemas = find_versions(node, &document, schema_plans(&document, None), &dropped);
    let definition = VersionedDefinition { node, document: &document, old: None, schemas: &schemas };
    let before = oldest.and_then(KubernetesVersion::previous);
    let before = before.and_then(|version| KubernetesVersions::from_versions([version]));
    let reasons = before.map(|before| definition.new_findings(&reviews, &before)).unwrap_or_default();
    let taking =
        KubernetesVersion::all_known().filter(|version| oldest.is_some_and(|oldest| *version >= oldest));
    let ignored = KubernetesVersions::from_versions(taking)
        .map(|versions| ignored_field_findings(&definition, &versions, &document))
        .unwrap_or_default();
    let name = node.get("metadata").and_then(|metadata| metadata.get("name"));
    Some(DefinitionMinimum {
        name: name.map(Node::text).unwrap_or_default().to_owned(),
        span: node.get("kind").unwrap_or(node).span(),
        oldest,
        reasons,
        ignored,
    })
}
