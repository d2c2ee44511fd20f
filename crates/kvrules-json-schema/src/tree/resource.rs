//! Schema resources: the schemas with an identifier, and the anchors in them.

use std::collections::{BTreeMap, HashMap};

use jsonschema::uri;
use kvrules_syntax::Node;

/// The base of documents without an identifier. Relative identifiers and references are resolved against it.
const NO_BASE: &str = "json-schema:///";

/// A schema with an identifier, or the whole document.
#[derive(Debug)]
pub(super) struct Resource<'d> {
    /// Absolute URI without fragment.
    pub(super) base: String,
    /// Target of `#`.
    pub(super) root: Node<'d>,
    /// Schemas by their anchors.
    pub(super) anchors: BTreeMap<&'d str, Node<'d>>,
}

/// The resources of a document, the document itself first.
#[derive(Debug)]
pub(super) struct Resources<'d> {
    pub(super) all: Vec<Resource<'d>>,
    by_uri: HashMap<String, usize>,
}

/// A reference by its parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReferenceUri {
    /// A fragment, without escapes of URIs removed, in a resource of the document.
    Local(usize, String),
    /// Another document, by its URI.
    External(String),
    /// Not a URI reference.
    Malformed,
}

impl<'d> Resources<'d> {
    pub(super) fn new(root: Node<'d>) -> Self {
        let all = vec![Resource { base: NO_BASE.to_owned(), root, anchors: BTreeMap::new() }];
        Self { all, by_uri: HashMap::from([(NO_BASE.to_owned(), 0)]) }
    }

    fn base(&self, resource: usize) -> &str {
        self.all.get(resource).map_or(NO_BASE, |resource| resource.base.as_str())
    }

    /// Notes an identifier and returns the resource of the schema with it.
    pub(super) fn identify_schema(&mut self, node: Node<'d>, identifier: &'d str, inside: usize) -> usize {
        let (path, fragment) = identifier.split_once('#').unwrap_or((identifier, ""));
        // Before draft 2019-09 an anchor was an identifier that is only a fragment.
        if path.is_empty() {
            if !fragment.is_empty() {
                self.add_anchor(inside, fragment, node);
            }
            return inside;
        }
        let Some(base) = resolve_uri(self.base(inside), path) else { return inside };
        let own = if self.all.first().is_some_and(|document| document.root.span() == node.span()) {
            if let Some(document) = self.all.first_mut() {
                document.base.clone_from(&base);
            }
            0
        } else {
            self.all.push(Resource { base: base.clone(), root: node, anchors: BTreeMap::new() });
            self.all.len() - 1
        };
        self.by_uri.entry(base).or_insert(own);
        if !fragment.is_empty() {
            self.add_anchor(own, fragment, node);
        }
        own
    }

    /// Notes an anchor.
    pub(super) fn add_anchor(&mut self, resource: usize, name: &'d str, node: Node<'d>) {
        if let Some(resource) = self.all.get_mut(resource) {
            resource.anchors.entry(name).or_insert(node);
        }
    }

    /// Finds the resource of a reference.
    pub(super) fn locate_reference(&self, reference: &str, inside: usize) -> ReferenceUri {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if path.is_empty() {
            return ReferenceUri::Local(inside, fragment.to_owned());
        }
        let Some(target) = resolve_uri(self.base(inside), path) else { return ReferenceUri::Malformed };
        match self.by_uri.get(&target) {
            Some(resource) => ReferenceUri::Local(*resource, fragment.to_owned()),
            None => ReferenceUri::External(target),
        }
    }
}

fn resolve_uri(base: &str, reference: &str) -> Option<String> {
    let base = uri::from_str(base).ok()?;
    let resolved = uri::resolve_against(&base.borrow(), reference).ok()?;
    Some(resolved.as_str().trim_end_matches('#').to_owned())
}
