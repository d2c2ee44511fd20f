//! Describes how an API serves the objects of a schema: their kind, names and versions.

use kvrules_ir::Subresource;
use kvrules_kubernetes::keywords::GROUP_VERSION_KIND;
use kvrules_syntax::{Node, SyntaxKind};

use super::Subject;
use super::document::{CrdDocument, text_field};

/// The field that the scale of Kubernetes' own kinds writes.
const REPLICAS: &str = ".spec.replicas";

/// Returns the subject that a version of a CustomResourceDefinition describes.
pub(super) fn of_definition(crd: CrdDocument<'_>, versions: Node<'_>, version: Node<'_>) -> Subject {
    let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let is_served =
        |version: &Node<'_>| version.get("served").is_some_and(|served| served.kind() == SyntaxKind::True);
    let served = versions.items().filter(is_served).filter_map(|version| owned(text_field(version, "name")));
    let subresources = version.get("subresources");
    let part = |name: &str| {
        subresources.and_then(|parts| parts.get(name)).filter(|part| part.kind() != SyntaxKind::Null)
    };
    let scale = part("scale").and_then(|scale| owned(text_field(scale, "specReplicasPath")));
    Subject {
        kind: owned(crd.kind()),
        group: owned(crd.group()),
        version: owned(text_field(version, "name")),
        resource: owned(crd.plural()),
        served: served.collect(),
        subresources: part("status")
            .map(|_| Subresource::Status)
            .into_iter()
            .chain(scale.map(Subresource::Scale))
            .collect(),
    }
}

/// Returns the subject that a schema of an OpenAPI document, or a schema by itself, describes.
pub(super) fn of_schema(document: Node<'_>, schema: Node<'_>) -> Subject {
    let subject = kind_of(schema);
    let Some(resource) = resource_segment(document, &subject) else { return subject };
    let ends = |ending: &str| {
        let ending = format!("/{resource}/{{name}}/{ending}");
        operation_paths(document).any(|(path, _)| path.ends_with(&ending))
    };
    let status = ends("status").then_some(Subresource::Status);
    let scale = ends("scale").then(|| Subresource::Scale(REPLICAS.to_owned()));
    Subject {
        served: subject.version.clone().into_iter().collect(),
        subresources: status.into_iter().chain(scale).collect(),
        resource: Some(resource),
        ..subject
    }
}

/// The kind that Kubernetes writes on its schemas.
pub(super) fn kind_of(schema: Node<'_>) -> Subject {
    let kind = schema.get(GROUP_VERSION_KIND).and_then(|kinds| kinds.items().next());
    let part = |key| kind.and_then(|kind| text_field(kind, key)).map(str::to_owned);
    Subject { kind: part("kind"), group: part("group"), version: part("version"), ..Subject::default() }
}

/// The segment before the name of an object, in the paths whose operations are about the kind.
fn resource_segment(document: Node<'_>, subject: &Subject) -> Option<String> {
    subject.kind.as_ref()?;
    let is_about = |operations: Node<'_>| {
        operations.entries().any(|operation| {
            let about = operation.value.get(GROUP_VERSION_KIND);
            let part = |key: &str| about.and_then(|about| text_field(about, key)).map(str::to_owned);
            [part("group"), part("version"), part("kind")]
                == [subject.group.clone(), subject.version.clone(), subject.kind.clone()]
        })
    };
    operation_paths(document).find_map(|(path, operations)| {
        let collection = path.strip_suffix("/{name}").filter(|_| is_about(operations))?;
        collection.rsplit('/').next().filter(|segment| !segment.is_empty()).map(str::to_owned)
    })
}

fn operation_paths(document: Node<'_>) -> impl Iterator<Item = (&str, Node<'_>)> {
    let paths = document.get("paths").into_iter().flat_map(Node::entries);
    paths.map(|entry| (entry.key.text(), entry.value))
}
