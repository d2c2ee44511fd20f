//! The walk through a document. It uses no recursion, so that no nesting is too deep, and visits the target of an alias once.

use std::collections::{HashMap, HashSet};

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::{KeywordContent, SchemaDialect, SchemaKeyword, find_keyword};
use kvrules_syntax::{Entry, Node};

use super::openapi::{PartKind, PartShape, part_under};
use super::pointer_index::PointerIndex;
use super::resource::Resources;
use super::{ChildSchema, SchemaReference, SchemaSite, SchemaTree, SiteId};
use crate::dialect::{can_be_schema, has_item_lists, identifier_keyword};
use crate::language::SchemaLanguage;

/// A reference before it is resolved.
#[derive(Clone, Copy)]
pub(super) struct OpenReference<'d> {
    pub(super) node: Node<'d>,
    pub(super) site: Option<SiteId>,
    pub(super) resource: usize,
    /// True for `$ref`, false for dynamic references.
    pub(super) is_static: bool,
}

/// The state of a walk.
pub(super) struct TreeWalker<'d> {
    pub(super) dialect: SchemaDialect,
    pub(super) sites: Vec<SchemaSite<'d>>,
    by_node: HashMap<Span, SiteId>,
    open: Vec<SiteId>,
    pub(super) resources: Resources<'d>,
    references: Vec<OpenReference<'d>>,
    pub(super) index: PointerIndex<'d>,
}

impl<'d> TreeWalker<'d> {
    pub(super) fn walk_document(
        root: Node<'d>,
        language: SchemaLanguage,
        dialect: SchemaDialect,
    ) -> SchemaTree<'d> {
        let mut walker = Self {
            dialect,
            sites: Vec::new(),
            by_node: HashMap::new(),
            open: Vec::new(),
            resources: Resources::new(root),
            references: Vec::new(),
            index: PointerIndex::default(),
        };
        match language {
            SchemaLanguage::JsonSchema => _ = walker.add_site(root, dialect, 0, false),
            SchemaLanguage::OpenApi => walker.walk_parts(root),
        }
        walker.expand_sites();
        let mut references = Vec::new();
        // Targets in places without schemas are schemas too, and may have references.
        while let Some(reference) = walker.references.get(references.len()).copied() {
            let target = walker.find_target(&reference);
            references.push(SchemaReference { node: reference.node, site: reference.site, target });
            walker.expand_sites();
        }
        let base = walker.resources.all.first().map_or_else(String::new, |document| document.base.clone());
        SchemaTree { sites: walker.sites, references, base }
    }

    /// Returns the number of a schema, which is new unless an alias or a reference led to it before.
    pub(super) fn add_site(
        &mut self,
        node: Node<'d>,
        dialect: SchemaDialect,
        resource: usize,
        is_parameter: bool,
    ) -> SiteId {
        // The span of an empty range is that of the target of an alias.
        let key = node.span_of(0..0);
        if let Some(known) = self.by_node.get(&key) {
            return *known;
        }
        let site = self.sites.len();
        let (children, reference) = (Vec::new(), None);
        self.sites.push(SchemaSite { node, dialect, is_parameter, children, reference, resource });
        self.by_node.insert(key, site);
        self.open.push(site);
        site
    }

    fn expand_sites(&mut self) {
        while let Some(site) = self.open.pop() {
            self.expand_site(site);
        }
    }

    fn expand_site(&mut self, id: SiteId) {
        let Some(site) = self.sites.get(id) else { return };
        let (node, is_parameter, outer) = (site.node, site.is_parameter, site.resource);
        let dialect = own_dialect(node, site.dialect);
        let resource = self.identify_site(node, dialect, outer);
        let mut children = Vec::new();
        for Entry { key, value } in node.entries_with_merged() {
            let name = key.text();
            if let ("$ref" | "$dynamicRef" | "$recursiveRef", Some(_)) = (name, value.as_str()) {
                let is_static = name == "$ref";
                self.references.push(OpenReference { node: value, site: Some(id), resource, is_static });
            }
            let Some(keyword) = find_keyword(name).filter(|keyword| has_schemas(keyword, dialect)) else {
                continue;
            };
            for (name, child) in child_nodes(keyword, value, dialect) {
                let site = self.add_site(child, dialect, resource, is_parameter);
                children.push(ChildSchema { keyword: keyword.name, name, site });
            }
        }
        if let Some(site) = self.sites.get_mut(id) {
            (site.children, site.dialect, site.resource) = (children, dialect, resource);
        }
    }

    /// Notes the identifier and the anchors of a schema, and returns the resource that it is in.
    fn identify_site(&mut self, node: Node<'d>, dialect: SchemaDialect, outer: usize) -> usize {
        if dialect.ignores_siblings() && node.get("$ref").is_some() {
            return outer;
        }
        let identifier = identifier_keyword(dialect).and_then(|keyword| node.get(keyword)?.as_str());
        let resource = identifier.map_or(outer, |it| self.resources.identify_schema(node, it, outer));
        let is_anchor =
            |name: &&str| find_keyword(name).is_some_and(|keyword| keyword.is_defined_in(dialect));
        for keyword in ["$anchor", "$dynamicAnchor"].into_iter().filter(is_anchor) {
            if let Some(name) = node.get(keyword).and_then(Node::as_str) {
                self.resources.add_anchor(resource, name, node);
            }
        }
        resource
    }

    /// Finds the schemas in the parts of an OpenAPI document.
    fn walk_parts(&mut self, root: Node<'d>) {
        let (mut open, mut seen) = (vec![(root, PartKind::Document)], HashSet::new());
        while let Some((node, kind)) = open.pop() {
            if kind == PartKind::Schema {
                if can_be_schema(node, self.dialect) {
                    self.add_site(node, self.dialect, 0, false);
                }
                continue;
            }
            if !node.is_map() || !seen.insert((node.span_of(0..0), kind)) {
                continue;
            }
            if let Some(reference) = node.get("$ref").filter(|reference| reference.as_str().is_some()) {
                let reference = OpenReference { node: reference, site: None, resource: 0, is_static: true };
                self.references.push(reference);
            }
            let is_simple =
                matches!(kind, PartKind::Parameter | PartKind::Header) && node.get("type").is_some();
            if self.dialect == SchemaDialect::Swagger20 && is_simple {
                self.add_site(node, self.dialect, 0, true);
            }
            for Entry { key, value } in node.entries_with_merged() {
                let Some((shape, below)) = part_under(kind, key.text()) else { continue };
                match shape {
                    PartShape::Single => open.push((value, below)),
                    PartShape::Listed => open.extend(value.items().map(|item| (item, below))),
                    PartShape::Named => {
                        let named = value.entries_with_merged();
                        let is_extension = |entry: &Entry<'_>| entry.key.text().starts_with("x-");
                        let named = named.filter(|entry| below == PartKind::Schema || !is_extension(entry));
                        open.extend(named.map(|entry| (entry.value, below)));
                    }
                }
            }
        }
    }
}

/// The dialect of a schema that names one by `$schema`.
fn own_dialect(node: Node<'_>, outer: SchemaDialect) -> SchemaDialect {
    let named = node.get("$schema").and_then(Node::as_str).and_then(SchemaDialect::from_uri);
    named.filter(|_| !outer.is_older_openapi() && outer != SchemaDialect::OpenApi31).unwrap_or(outer)
}

/// True if a keyword has schemas in a dialect. `definitions` and `dependencies` are kept in the meta-schemas of all drafts.
fn has_schemas(keyword: &SchemaKeyword, dialect: SchemaDialect) -> bool {
    let is_kept = matches!(keyword.name, "definitions" | "dependencies") && !dialect.is_older_openapi();
    let has_content = matches!(
        keyword.content,
        KeywordContent::Schema | KeywordContent::SchemaList | KeywordContent::SchemaMap
    );
    has_content && (is_kept || keyword.is_defined_in(dialect))
}

/// The schemas directly under a keyword, with their names.
fn child_nodes<'d>(
    keyword: &SchemaKeyword,
    value: Node<'d>,
    dialect: SchemaDialect,
) -> Vec<(Option<Node<'d>>, Node<'d>)> {
    // `additionalProperties` is a boolean in draft 4 too.
    let is_schema = |node: &Node<'d>| {
        can_be_schema(*node, dialect) || (keyword.name.starts_with("additional") && !node.is_list())
    };
    let is_child = |node: &Node<'d>| is_schema(node) && (node.is_map() || is_boolean(*node));
    match keyword.content {
        KeywordContent::SchemaMap => {
            let entries = value.entries_with_merged().filter(|entry| is_child(&entry.value));
            entries.map(|entry| (Some(entry.key), entry.value)).collect()
        }
        KeywordContent::SchemaList => value.items().filter(is_child).map(|item| (None, item)).collect(),
        KeywordContent::Schema if keyword.name == "items" && value.is_list() && has_item_lists(dialect) => {
            value.items().filter(is_child).map(|item| (None, item)).collect()
        }
        KeywordContent::Schema => Some(value).filter(is_child).map(|it| (None, it)).into_iter().collect(),
        KeywordContent::Data | KeywordContent::Other => Vec::new(),
    }
}

fn is_boolean(node: Node<'_>) -> bool {
    matches!(node.kind(), kvrules_syntax::SyntaxKind::True | kvrules_syntax::SyntaxKind::False)
}
