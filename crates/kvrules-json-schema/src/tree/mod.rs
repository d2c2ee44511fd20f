//! Every schema of a document, with its dialect, the schemas directly in it, and the targets of references.

mod openapi;
mod pointer_index;
mod resolve;
mod resource;
mod walk;

use kvrules_kubernetes::keywords::SchemaDialect;
use kvrules_syntax::Node;

use crate::language::SchemaLanguage;

/// Number of a schema in [`SchemaTree::sites`].
pub(crate) type SiteId = usize;

/// One schema.
#[derive(Debug)]
pub(crate) struct SchemaSite<'d> {
    pub(crate) node: Node<'d>,
    pub(crate) dialect: SchemaDialect,
    /// True for parameters and headers of Swagger 2.0, which have keywords of schemas among their own.
    pub(crate) is_parameter: bool,
    /// The schemas directly in it.
    pub(crate) children: Vec<ChildSchema<'d>>,
    /// Target of `$ref`, if it is in the document.
    pub(crate) reference: Option<SiteId>,
    resource: usize,
}

/// A schema directly in another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChildSchema<'d> {
    pub(crate) keyword: &'static str,
    /// Its name, if the keyword has schemas by name.
    pub(crate) name: Option<Node<'d>>,
    pub(crate) site: SiteId,
}

/// A reference and its target.
#[derive(Debug)]
pub(crate) struct SchemaReference<'d> {
    /// The text of the reference.
    pub(crate) node: Node<'d>,
    /// The schema that it is in; none for other parts of OpenAPI documents.
    pub(crate) site: Option<SiteId>,
    pub(crate) target: ReferenceTarget,
}

/// Target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceTarget {
    /// A schema.
    Schema(SiteId),
    /// Another part of an OpenAPI document.
    Part,
    /// A part of the document that is not a schema.
    NotSchema,
    /// No part of the document, with a similar reference that has a target.
    Missing(Option<String>),
    /// Another document, by its URI without fragment.
    External(String),
    /// The reference is not a URI reference.
    Malformed,
}

/// The schemas and references of a document. A schema has a greater number than the schemas around it, unless aliases or
/// references lead to it.
#[derive(Debug)]
pub(crate) struct SchemaTree<'d> {
    pub(crate) sites: Vec<SchemaSite<'d>>,
    pub(crate) references: Vec<SchemaReference<'d>>,
    /// URI of the document.
    pub(crate) base: String,
}

impl SchemaReference<'_> {
    /// The URI of another document that it leads to.
    pub(crate) fn external_uri(&self) -> Option<&str> {
        match &self.target {
            ReferenceTarget::External(uri) => Some(uri),
            _ => None,
        }
    }
}

impl<'d> SchemaTree<'d> {
    /// Finds the schemas of a document.
    pub(crate) fn read_document(root: Node<'d>, language: SchemaLanguage, dialect: SchemaDialect) -> Self {
        walk::TreeWalker::walk_document(root, language, dialect)
    }
}

impl<'d> SchemaSite<'d> {
    /// True if it has a reference next to which other keywords have no effect.
    pub(crate) fn is_mere_reference(&self) -> bool {
        self.dialect.ignores_siblings() && self.node.get("$ref").is_some_and(|it| it.as_str().is_some())
    }

    /// The schemas of a keyword.
    pub(crate) fn children_of(&self, keyword: &str) -> impl Iterator<Item = &ChildSchema<'d>> {
        self.children.iter().filter(move |child| child.keyword == keyword)
    }
}
