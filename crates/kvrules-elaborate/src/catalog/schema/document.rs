//! Detects the kind of a document of a schema file by its content.

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::is_like_schema;
use kvrules_syntax::kubernetes::find_definitions;
use kvrules_syntax::{Document, Entry, Node, SyntaxKind};

use super::problem::SchemaProblem;

/// A document, or an item of a list that is one.
#[derive(Clone, Copy)]
pub(super) enum FoundSchema<'d> {
    /// A CustomResourceDefinition.
    Crd(CrdDocument<'d>),
    /// An OpenAPI document: the map of its schemas.
    OpenApi(Node<'d>),
    /// A schema by itself.
    Schema(Node<'d>),
}

/// A CustomResourceDefinition.
#[derive(Clone, Copy)]
pub(super) struct CrdDocument<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) node: Node<'d>,
}

/// Returns the schemas in a document; empty if it has none.
pub(super) fn find_schemas<'d>(document: &'d Document<'d>) -> Vec<FoundSchema<'d>> {
    let Some(root) = document.root() else { return Vec::new() };
    let definitions = find_definitions(root);
    if !definitions.is_empty() {
        return definitions
            .into_iter()
            .map(|node| FoundSchema::Crd(CrdDocument { document, node }))
            .collect();
    }
    let schemas = root.get("components").and_then(|components| components.get("schemas"));
    let definitions = || root.get("swagger").and_then(|_| root.get("definitions"));
    let one = if let Some(schemas) = schemas.or_else(definitions).filter(|schemas| schemas.is_map()) {
        Some(FoundSchema::OpenApi(schemas))
    } else {
        is_schema(root).then_some(FoundSchema::Schema(root))
    };
    one.into_iter().collect()
}

/// Describes a document without a schema.
pub(super) fn describe_document(document: &Document<'_>) -> String {
    let Some(root) = document.root() else { return "nothing".to_owned() };
    match (text_field(root, "kind"), root.kind()) {
        (Some(kind), _) => format!("a `{kind}`"),
        (None, SyntaxKind::Map) => "a map without `type`, `properties` or `components`".to_owned(),
        (None, SyntaxKind::List) => "a list".to_owned(),
        (None, _) => "a single value".to_owned(),
    }
}

/// The text of a field that is a string.
pub(super) fn text_field<'d>(node: Node<'d>, key: &str) -> Option<&'d str> {
    node.get(key)?.as_str()
}

fn is_schema(node: Node<'_>) -> bool {
    let is_resource = text_field(node, "apiVersion").is_some() && text_field(node, "kind").is_some();
    !is_resource && is_like_schema(node.entries().map(|entry| entry.key.text()))
}

impl<'d> CrdDocument<'d> {
    /// `spec.names.kind`.
    pub(super) fn kind(self) -> Option<&'d str> {
        text_field(self.spec()?.get("names")?, "kind")
    }

    /// `spec.names.plural`.
    pub(super) fn plural(self) -> Option<&'d str> {
        text_field(self.spec()?.get("names")?, "plural")
    }

    /// `spec.group`.
    pub(super) fn group(self) -> Option<&'d str> {
        text_field(self.spec()?, "group")
    }

    /// `metadata.name`: the plural and the group, which no two definitions share.
    pub(super) fn name(self) -> Option<&'d str> {
        text_field(self.node.get("metadata")?, "name")
    }

    /// Returns its title: its kind, or else its name.
    pub(super) fn title(self) -> &'d str {
        self.kind().or_else(|| self.name()).unwrap_or_default()
    }

    /// The place of its kind, or else its beginning.
    pub(super) fn span(self) -> Span {
        let kind = self.spec().and_then(|spec| spec.get("names")).and_then(|names| names.get("kind"));
        kind.or_else(|| self.node.get("kind")).map_or(self.node.span(), Node::span)
    }

    /// `spec.versions`, where the definition has the form that kvrules reads.
    pub(super) fn versions(self) -> Result<Entry<'d>, SchemaProblem> {
        let api = self.node.get("apiVersion").filter(|api| api.text() != "apiextensions.k8s.io/v1");
        if let Some(api) = api {
            let message = format!("unsupported version `{}` of definitions", api.text());
            return Err(SchemaProblem::new(api.span(), message)
                .help("write it as `apiextensions.k8s.io/v1`, as `kubectl get crd NAME -o yaml` prints it"));
        }
        let versions = self.spec().and_then(|spec| spec.entry("versions"));
        versions.filter(|versions| versions.value.items().next().is_some()).ok_or_else(|| {
            let span = versions.map_or(self.span(), |versions| versions.key.span());
            SchemaProblem::new(span, format!("the definition of `{}` has no version", self.title()))
                .help("a definition lists its versions under `spec.versions`")
        })
    }

    fn spec(self) -> Option<Node<'d>> {
        self.node.get("spec")
    }
}
