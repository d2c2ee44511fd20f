//! The definition that rules are merged into: its schema in the text of its file, and as a value.

use std::collections::BTreeSet;

use kvrules_apiserver::structural::check_schema;
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_ir::Subject;
use kvrules_syntax::kubernetes::{find_definitions, find_field};
use kvrules_syntax::value::request_value;
use kvrules_syntax::{Document, DocumentStream, Entry, Node, source_stream};
use serde_json::Value;

use super::path::{NodePath, Segment};
use super::schema::StructuralSchema;
use crate::EmitError;

/// A file with a definition.
pub(crate) struct DefinitionSource<'s> {
    file: &'s SourceFile,
    stream: &'s DocumentStream<'s>,
}

/// The schema of one version of a definition.
pub(super) struct VersionSchema<'d> {
    /// Location of the schema.
    pub(super) node: Node<'d>,
    /// Content of the schema.
    pub(super) schema: StructuralSchema,
}

/// An error, with its location.
struct DefinitionError {
    span: Span,
    message: String,
}

impl<'s> DefinitionSource<'s> {
    pub(crate) fn new(file: &'s SourceFile) -> Self {
        Self { file, stream: source_stream(file) }
    }

    /// Returns the schema of the version that the rules are about, structural or not.
    pub(crate) fn selected_schema(&self, subject: &Subject) -> Option<Value> {
        self.crd(subject).and_then(|crd| schema_of(crd, subject)).ok().and_then(schema_value)
    }

    /// The schema of the version that the rules are about.
    pub(super) fn definition(&self, subject: &Subject) -> Result<VersionSchema<'_>, EmitError> {
        let found = self.crd(subject).and_then(|crd| schema_of(crd, subject));
        let found = found.and_then(|node| {
            read_structural_schema(node, self.file.text()).map(|schema| VersionSchema { node, schema })
        });
        found.map_err(|error| self.error(error.span, &error.message))
    }

    /// An error about a place in the file.
    pub(super) fn error(&self, span: Span, message: &str) -> EmitError {
        let position = self.file.position_at(span.start);
        let place = format!("{}:{}:{}", self.file.name(), position.line, position.column);
        EmitError { message: format!("{place}: {message}") }
    }

    fn crd(&self, subject: &Subject) -> Result<Node<'_>, DefinitionError> {
        let start = Span::new(self.file.id(), 0, 0);
        let documents =
            || self.stream.documents.iter().filter_map(|document| Some((document, document.root()?)));
        let definitions = documents().flat_map(|(document, root)| {
            find_definitions(root).into_iter().map(move |node| (document, node))
        });
        let definitions: Vec<(&Document<'_>, Node<'_>)> = definitions.collect();
        let of_subject = definitions.iter().find(|(_, node)| {
            let spec = node.get("spec");
            let kind = spec.and_then(|spec| spec.get("names")).map(|names| text_field(names, "kind"));
            kind == subject.kind.as_deref()
                && spec.map(|spec| text_field(spec, "group")) == subject.group.as_deref()
        });
        match (of_subject, definitions.first()) {
            (Some((document, node)), _) => match document.problems().first() {
                Some(problem) => {
                    Err(to_error(problem.span, "the file cannot be parsed beyond this location"))
                }
                None => Ok(*node),
            },
            (None, Some((_, node))) => Err(to_error(
                node.span(),
                format!("this is not the CustomResourceDefinition of `{}`", subject.kind_noun()),
            )),
            (None, None) => {
                let span = documents().next().map_or(start, |(_, root)| root.span().at_start());
                let problem = self.stream.documents.iter().flat_map(Document::problems).next();
                let span = problem.map_or(span, |problem| problem.span);
                Err(to_error(span, "not a CustomResourceDefinition; rules can only be merged into one"))
            }
        }
    }
}

/// The schema as a value; none if it is larger than what a server takes.
fn schema_value(node: Node<'_>) -> Option<Value> {
    request_value(node, &BTreeSet::new())
}

/// Returns the reason if rules cannot be merged into a file: it has no CustomResourceDefinition.
pub(crate) fn lacks_definition(file: &SourceFile) -> Option<String> {
    let source = DefinitionSource::new(file);
    let mut roots = source.stream.documents.iter().filter_map(Document::root);
    let has_one = roots.any(|root| !find_definitions(root).is_empty());
    (!has_one).then(|| {
        format!("rules can only be merged into a CustomResourceDefinition, and `{}` has none", file.name())
    })
}

/// Returns the location of the node at a path below the root of a schema, or of the nearest one above it.
pub(super) fn place_of(root: Node<'_>, path: &NodePath) -> Span {
    locate_field(root, &path.server_name()).0
}

fn to_error(span: Span, message: impl Into<String>) -> DefinitionError {
    DefinitionError { span, message: message.into() }
}

fn text_field<'d>(node: Node<'d>, key: &str) -> &'d str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// The schema of the version that the subject names.
fn schema_of<'d>(crd: Node<'d>, subject: &Subject) -> Result<Node<'d>, DefinitionError> {
    let versions = crd.get("spec").and_then(|spec| spec.get("versions"));
    let Some(versions) = versions.filter(|versions| versions.is_list()) else {
        return Err(to_error(crd.span().at_start(), "missing list `spec.versions` in the definition"));
    };
    let named = |version: &Node<'_>| Some(text_field(*version, "name")) == subject.version.as_deref();
    let Some(version) = versions.items().find(named) else {
        let name = subject.version.as_deref().unwrap_or_default();
        return Err(to_error(versions.span(), format!("unknown version `{name}` of the definition")));
    };
    let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    schema.ok_or_else(|| to_error(version.span(), "missing schema `openAPIV3Schema` in the version"))
}

/// The schema as a value, if the server takes it for a structural one.
fn read_structural_schema(node: Node<'_>, text: &str) -> Result<StructuralSchema, DefinitionError> {
    let too_large = || to_error(node.span().at_start(), "the schema is larger than an API server accepts");
    let value = schema_value(node).ok_or_else(too_large)?;
    let report = check_schema(&value, "", false);
    if let Some(error) = report.errors.first().filter(|_| !report.is_structural) {
        let (span, name) = locate_field(node, error.field.trim_start_matches(".openAPIV3Schema"));
        let detail = if error.detail.is_empty() { "this is not allowed" } else { &error.detail };
        return Err(to_error(span, format!("the schema is not structural: {name}{detail}")));
    }
    let mut sharing = SharedNodes { text, found: BTreeSet::new() };
    sharing.look(node, &NodePath::default());
    if sharing.found.contains(&NodePath::default()) {
        let message = "the schema is shared through a YAML anchor, so nothing can be added to one use of it";
        return Err(to_error(node.span(), message));
    }
    Ok(StructuralSchema { value, shared: sharing.found })
}

/// The place that the server's name for a node or keyword leads to, and the rest of the name.
fn locate_field(root: Node<'_>, name: &str) -> (Span, String) {
    let name = name.trim_start_matches('.');
    let found = find_field(root, name);
    let (followed, rest) = name.split_at_checked(found.followed).unwrap_or((name, ""));
    let Entry { key, value } = found.entry;
    let is_item = followed.ends_with(']') && !followed.ends_with(&format!("[{}]", key.text()));
    let span = match (found.steps, is_item) {
        (0, _) => root.span().at_start(),
        (_, true) => value.span(),
        (_, false) => key.span(),
    };
    let rest = rest.trim_start_matches('.');
    (span, if rest.is_empty() { String::new() } else { format!("`{rest}` ") })
}

/// Finds nodes that are written once and stand for several.
struct SharedNodes<'s> {
    text: &'s str,
    found: BTreeSet<NodePath>,
}

impl SharedNodes<'_> {
    fn look(&mut self, node: Node<'_>, path: &NodePath) {
        if self.is_shared(node) {
            self.found.insert(path.clone());
            return;
        }
        if let Some(properties) = node.get("properties") {
            for entry in properties.entries() {
                let path = path.child_path(Segment::Field(entry.key.text().to_owned()));
                self.look_below(&[node, properties, entry.value], &path);
            }
        }
        for (keyword, segment) in [("items", Segment::Items), ("additionalProperties", Segment::Values)] {
            if let Some(below) = node.get(keyword) {
                self.look_below(&[node, below], &path.child_path(segment));
            }
        }
    }

    /// Looks at the last of nodes of which each is inside of the one before it, unless it came from elsewhere.
    fn look_below(&mut self, way: &[Node<'_>], path: &NodePath) {
        let [around @ .., last] = way else { return };
        let moved = way.windows(2).any(|pair| matches!(pair, [outer, inner] if is_elsewhere(*outer, *inner)))
            || around.iter().skip(1).any(|node| self.is_shared(*node));
        if moved {
            self.found.insert(path.clone());
        } else {
            self.look(*last, path);
        }
    }

    /// True if a node is an alias, or has an anchor that aliases may name.
    fn is_shared(&self, node: Node<'_>) -> bool {
        let at = node.span().start as usize;
        let is_alias = self.text.get(at..).is_some_and(|text| text.starts_with('*'));
        let before = self.text.get(..at).and_then(|before| before.split_whitespace().next_back());
        is_alias || before.is_some_and(|word| word.starts_with('&'))
    }
}

fn is_elsewhere(around: Node<'_>, inner: Node<'_>) -> bool {
    let (around, inner) = (around.span(), inner.span());
    inner.start < around.start || inner.end > around.end
}
