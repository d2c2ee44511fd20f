//! A schema with its references and `allOf` followed: several places in the file that refer to one value.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use kvrules_diagnostics::Span;
use kvrules_ir::ValueType;
use kvrules_json_schema::ReferenceTargets;
use kvrules_syntax::pointer::find_node;
use kvrules_syntax::{Node, SyntaxKind};

use super::keywords;
use super::problem::SchemaProblem;

/// All constraints on one value.
pub(super) struct SchemaView<'d> {
    /// The schema itself, then what it refers to and includes.
    parts: Vec<Node<'d>>,
    /// The type that the name of a Kubernetes definition stands for.
    pub(super) known: Option<ValueType>,
    /// True if the schema contains itself here.
    pub(super) cyclic: bool,
    /// Number of references that were open before this view.
    outside: usize,
}

/// A property and all schemas that it has.
pub(super) type Property<'d> = (&'d str, Vec<Node<'d>>);

/// Follows references, and remembers which are open.
pub(super) struct ReferenceReader<'d> {
    document: Node<'d>,
    pointers: HashMap<&'d str, Option<Node<'d>>>,
    /// The targets of all references, once one is not a pointer from the root: large documents have pointers alone.
    targets: OnceCell<ReferenceTargets<'d>>,
    /// True if identifiers below the root may change the meaning of pointers.
    has_identifiers: bool,
    /// The targets of references on the way from the root to here.
    trail: Vec<Span>,
    /// Number of schemas that were examined.
    pub(super) looked_at: usize,
    pub(super) problems: Vec<SchemaProblem>,
}

impl<'d> ReferenceReader<'d> {
    pub(super) fn new(document: Node<'d>) -> Self {
        Self {
            document,
            pointers: HashMap::new(),
            targets: OnceCell::new(),
            has_identifiers: has_identifiers_below(document),
            trail: Vec::new(),
            looked_at: 0,
            problems: Vec::new(),
        }
    }

    /// Opens the view of a value with these schemas; to be closed when what is below it has been read.
    pub(super) fn open(&mut self, schemas: &[Node<'d>]) -> SchemaView<'d> {
        let mut view =
            SchemaView { parts: Vec::new(), known: None, cyclic: false, outside: self.trail.len() };
        let mut waiting: Vec<_> = schemas.iter().rev().copied().collect();
        while let Some(schema) = waiting.pop() {
            // A schema with many keywords counts as several, because it takes as much time.
            self.looked_at += 1 + schema.entries().count() / 16;
            if !schema.is_map() {
                self.plain(schema);
                continue;
            }
            self.problems.extend(keywords::find_mistyped_keywords(schema));
            view.parts.push(schema);
            let all: Vec<_> = schema.get("allOf").into_iter().flat_map(Node::items).collect();
            waiting.extend(all.into_iter().rev());
            waiting.extend(schema.get("$ref").and_then(|reference| self.follow(reference, &mut view)));
        }
        view
    }

    /// Closes a view.
    pub(super) fn close(&mut self, view: &SchemaView<'d>) {
        self.trail.truncate(view.outside);
    }

    /// `true` and `false` are schemas, and other single values are none.
    fn plain(&mut self, schema: Node<'d>) {
        if !matches!(schema.kind(), SyntaxKind::True | SyntaxKind::False) {
            let message = format!("a schema must be a map, not {}", keywords::describe_value(schema));
            self.problems.push(SchemaProblem::new(schema.span(), message));
        }
    }

    fn follow(&mut self, reference: Node<'d>, view: &mut SchemaView<'d>) -> Option<Node<'d>> {
        let text = reference.as_str()?;
        view.known = view.known.or_else(|| keywords::known_reference_type(text));
        let Some(target) = self.find_target(reference, text) else {
            self.problems.push(unresolved_reference(reference, text));
            return None;
        };
        let place = target.span_of(0..0);
        if let Some(position) = self.trail.iter().position(|open| *open == place) {
            view.cyclic |= position < view.outside;
            return None;
        }
        self.trail.push(place);
        Some(target)
    }

    /// The schema that a reference names by a pointer from the root, an anchor or an identifier.
    fn find_target(&mut self, reference: Node<'d>, text: &'d str) -> Option<Node<'d>> {
        let document = self.document;
        let pointers = &mut self.pointers;
        let mut by_pointer = || {
            let pointer = text.strip_prefix('#')?;
            *pointers.entry(text).or_insert_with(|| find_node(document, pointer))
        };
        let found = if self.has_identifiers { None } else { by_pointer() };
        found.or_else(|| {
            let targets = self.targets.get_or_init(|| ReferenceTargets::of_document(document));
            // References of an unknown dialect have no targets.
            targets.find_target(reference).or_else(by_pointer)
        })
    }
}

/// True if a schema below the root may have an identifier, which its pointers start from.
fn has_identifiers_below(document: Node<'_>) -> bool {
    let of_root = usize::from(document.get("$id").is_some());
    let is_draft4 = document.get("$schema").is_some_and(|dialect| dialect.text().contains("draft-04"));
    is_draft4 || document.source_text().matches("$id").nth(of_root).is_some()
}

fn unresolved_reference(reference: Node<'_>, text: &str) -> SchemaProblem {
    if text.starts_with('#') {
        let message = format!("unresolved reference `{text}`");
        return SchemaProblem::new(reference.span(), message)
            .help("write a pointer into this file, such as `#/components/schemas/NAME`, or the name of an `$anchor` or `$id` of it");
    }
    SchemaProblem::new(reference.span(), format!("the reference `{text}` points outside this file"))
        .help("put what it refers to into this file, as bundling tools do")
}

impl<'d> SchemaView<'d> {
    /// The first value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<Node<'d>> {
        self.all(keyword).next()
    }

    /// All values of a keyword.
    pub(super) fn all(&self, keyword: &str) -> impl Iterator<Item = Node<'d>> {
        self.parts.iter().filter_map(move |part| part.get(keyword))
    }

    pub(super) fn is_true(&self, keyword: &str) -> bool {
        self.all(keyword).any(|value| value.kind() == SyntaxKind::True)
    }

    /// The properties in the order in which they are first named, without those that no object may have.
    pub(super) fn properties(&self) -> Vec<Property<'d>> {
        let mut properties: Vec<Property<'d>> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for entry in self.all("properties").flat_map(Node::entries_with_merged) {
            let (name, schema) = (entry.key.text(), entry.value);
            let place = *places.entry(name).or_insert(properties.len());
            match properties.get_mut(place) {
                Some((_, schemas)) => schemas.push(schema),
                None => properties.push((name, vec![schema])),
            }
        }
        properties.retain(|(_, schemas)| schemas.iter().all(|schema| schema.kind() != SyntaxKind::False));
        properties
    }

    /// The names of properties that must be there.
    pub(super) fn required(&self) -> HashSet<&'d str> {
        self.all("required").flat_map(Node::items).filter_map(Node::as_str).collect()
    }
}
