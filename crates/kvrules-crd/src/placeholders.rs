//! The parts of a document that are known only after a template is rendered or processed: template tags, and references to
//! the parameters of OpenShift templates.

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING, LIST_TYPE, MAP_TYPE};
use kvrules_syntax::templated::{RegionKind, Template};
use kvrules_syntax::{Document, Node, find_parameters};

use crate::resource::Resource;

/// Kind of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A tag of Go, Helm or Jinja.
    Tag,
    /// A reference to a parameter of an OpenShift template.
    Parameter,
}

/// A placeholder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) cause: Cause,
    pub(crate) span: Span,
    /// True if it may become keys, items or several values, and not only a part of one value.
    pub(crate) is_structure: bool,
}

/// The placeholders of a document.
#[derive(Debug)]
pub(crate) struct Placeholders<'d> {
    tags: Option<&'d Template>,
    /// In the order of the text.
    parts: Vec<Part>,
    /// The references as they are written.
    references: BTreeSet<&'d str>,
}

impl<'d> Placeholders<'d> {
    /// The tags of a document, and the references in its resources.
    pub(crate) fn of(document: &'d Document<'d>, resources: &[Resource<'d>]) -> Self {
        let tags = document.template();
        let (mut parts, mut references) = (Vec::new(), BTreeSet::new());
        for resource in resources {
            let Some(declared) = Declared::of(&resource.templates) else { continue };
            let mut found = References { declared, parts: &mut parts, written: &mut references };
            found.search(resource.node);
        }
        let whole = document.root().map(Node::span).unwrap_or_default();
        let regions = tags.into_iter().flat_map(Template::regions);
        parts.extend(regions.filter(|region| region.kind != RegionKind::Nothing).map(|region| {
            let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            let span = Span { start: offset(region.range.start), end: offset(region.range.end), ..whole };
            Part { cause: Cause::Tag, span, is_structure: region.changes_structure() }
        }));
        parts.sort_by_key(|part| (part.span.start, part.span.end));
        Self { tags, parts, references }
    }

    /// True if nothing depends on a template.
    pub(crate) fn is_empty(&self) -> bool {
        self.tags.is_none() && self.parts.is_empty()
    }

    /// True if a placeholder is part of this place.
    pub(crate) fn touches(&self, span: Span) -> bool {
        let end = span.end.max(span.start + 1);
        let of_parameter = |part: &&Part| part.cause == Cause::Parameter && part.span.end > span.start;
        let before = self.parts.partition_point(|part| part.span.start < end);
        self.tags.is_some_and(|tags| tags.touches_span(span))
            || self.parts.iter().take(before).rev().any(|part| of_parameter(&part))
    }

    /// True if these places are always rendered together.
    pub(crate) fn are_together(&self, spans: impl Iterator<Item = Span>) -> bool {
        self.tags.is_none_or(|tags| tags.are_together(spans))
    }

    /// The placeholders in a range, without the ends of conditions that began before it.
    pub(crate) fn within(&self, place: Span) -> impl Iterator<Item = &Part> {
        let first = self.parts.partition_point(|part| part.span.start < place.start);
        let behind = self.parts.iter().skip(first).take_while(move |part| part.span.start <= place.end);
        behind.filter(move |part| part.span.end <= place.end)
    }

    /// True if a parameter may add keys or items to a node, or remove some.
    pub(crate) fn may_extend(&self, node: Node<'_>) -> bool {
        let entries = node.entries().flat_map(|entry| [entry.key, entry.value]);
        let is_open = |part: &Part| part.cause == Cause::Parameter && part.is_structure;
        let span = node.span();
        !node.is_alias()
            && self.within(span).any(is_open)
            && entries
                .chain(node.items())
                .filter(|child| !child.is_map() && !child.is_list())
                .any(|child| self.within(child.span()).any(is_open))
    }

    /// True if a message shows a reference.
    pub(crate) fn is_quoted_in(&self, text: &str) -> bool {
        self.tags.is_some_and(|tags| tags.is_quoted_in(text))
            || text.contains("${") && self.references.iter().any(|reference| text.contains(reference))
    }
}

/// The parameters that templates declare. A reference to any other stays as it is written.
struct Declared<'d> {
    names: BTreeSet<&'d str>,
    /// True if template tags may declare more.
    is_open: bool,
}

impl<'d> Declared<'d> {
    /// The parameters of templates in each other; none if they have none.
    fn of(templates: &[Node<'d>]) -> Option<Self> {
        let lists = || templates.iter().filter_map(|template| template.get("parameters"));
        let names = lists().flat_map(Node::items).filter_map(|parameter| parameter.get("name"));
        let names: BTreeSet<&str> = names.map(Node::text).filter(|name| !name.is_empty()).collect();
        let is_open = lists().any(|list| list.is_open() || list.items().any(Node::is_templated))
            || templates.iter().any(|template| template.is_open());
        (is_open || !names.is_empty()).then_some(Self { names, is_open })
    }

    fn has(&self, name: &str) -> bool {
        // Tags are masked by `_`, so a name of underscores alone is a tag.
        self.names.contains(name) || (self.is_open && name.bytes().any(|byte| byte != b'_'))
    }
}

/// Maximum number of nodes that are examined behind an alias. A larger one is taken to have a reference.
const BEHIND_ALIAS: usize = 10_000;

/// Keys whose values are single, whatever a parameter gives.
const SINGLE: [&str; 28] = [
    "default",
    "deprecated",
    "description",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "name",
    "nullable",
    "optionalOldSelf",
    "pattern",
    "priority",
    "served",
    "storage",
    "type",
    "uniqueItems",
    EMBEDDED_RESOURCE,
    INT_OR_STRING,
    LIST_TYPE,
    MAP_TYPE,
];

struct References<'f, 'd> {
    declared: Declared<'d>,
    parts: &'f mut Vec<Part>,
    written: &'f mut BTreeSet<&'d str>,
}

impl<'d> References<'_, 'd> {
    /// Finds the references in an object.
    fn search(&mut self, object: Node<'d>) {
        let mut waiting = vec![(object, "")];
        while let Some((node, key)) = waiting.pop() {
            if node.is_alias() {
                let is_structure = true;
                let is_referring = self.is_referring(node);
                let part = Part { cause: Cause::Parameter, span: node.span(), is_structure };
                self.parts.extend(is_referring.then_some(part));
                continue;
            }
            self.of_scalar(node, !SINGLE.contains(&key), false);
            for entry in node.entries() {
                self.of_scalar(entry.key, true, true);
                waiting.push((entry.value, entry.key.text()));
            }
            waiting.extend(node.items().map(|item| (item, "")));
        }
    }

    /// Notes the references in a key or in a single value.
    fn of_scalar(&mut self, node: Node<'d>, may_be_structure: bool, is_key: bool) {
        let text = node.text();
        for (range, is_whole) in references(text, &self.declared) {
            self.written.extend(text.get(range.clone()));
            let is_structure = is_key || (is_whole && may_be_structure);
            self.parts.push(Part { cause: Cause::Parameter, span: node.span_of(range), is_structure });
        }
    }

    /// True if there may be a reference behind an alias.
    fn is_referring(&mut self, alias: Node<'d>) -> bool {
        let mut waiting = vec![alias];
        for _ in 0..BEHIND_ALIAS {
            let Some(node) = waiting.pop() else { return false };
            let texts = node.entries().map(|entry| entry.key.text()).chain([node.text()]);
            for text in texts {
                let mut found = references(text, &self.declared).peekable();
                if found.peek().is_some() {
                    self.written.extend(found.filter_map(|(range, _)| text.get(range)));
                    return true;
                }
            }
            waiting.extend(node.entries().map(|entry| entry.value).chain(node.items()));
        }
        true
    }
}

/// The references that are replaced in a text, and true for one that a value of any type takes the place of.
///
/// OpenShift's templateprocessing/template.go, EvaluateParameterSubstitution: `${{NAME}}` is a reference if it is the
/// whole text; nothing escapes a reference, so in `$${NAME}` it stays one behind a `$`.
fn references(text: &str, declared: &Declared<'_>) -> impl Iterator<Item = (std::ops::Range<usize>, bool)> {
    let found = find_parameters(text).filter(|found| declared.has(found.name));
    let replaced = found.filter(|found| !found.unquoted || found.range == (0..text.len()));
    replaced.map(|found| (found.range, found.unquoted))
}
