//! A definition in a file, and the locations of the fields that servers name.

use kvrules_diagnostics::Span;
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::find_field;
use serde_json::Value;

use crate::schema_location::{SchemaLocation, node_head_span};
use crate::schema_review::SchemaVersion;

/// A definition in a file.
pub(crate) struct VersionedDefinition<'d> {
    pub(crate) node: Node<'d>,
    pub(crate) document: &'d Value,
    /// The definition that it replaces.
    pub(crate) old: Option<&'d Value>,
    pub(crate) schemas: &'d [SchemaVersion<'d>],
}

impl VersionedDefinition<'_> {
    /// Location of a field that the server names; the kind of the definition if it is not written.
    pub(super) fn find_span(&self, field: &str) -> Span {
        if let Some(location) = self.schema_location(field) {
            return location.value_span();
        }
        let found = find_field(self.node, field);
        if found.steps > 0 {
            return node_head_span(found.entry.value);
        }
        self.node.get("kind").unwrap_or(self.node).span()
    }

    /// Location of a part of an expression.
    pub(super) fn expression_span(&self, field: &str, offset: usize, length: usize) -> Span {
        let location = self.schema_location(field);
        let node = location.and_then(|it| it.inner).map(|entry| entry.value);
        match node.filter(|node| node.as_str().is_some()) {
            Some(node) => node.place_of(offset..offset + length),
            None => self.find_span(field),
        }
    }

    fn schema_location(&self, field: &str) -> Option<SchemaLocation<'_>> {
        self.schemas.iter().enumerate().find_map(|(index, version)| {
            // Warnings have the path in the document, errors that of the plan.
            let in_document = format!("spec.versions[{index}].schema");
            let rest =
                field.strip_prefix(&version.plan.prefix).or_else(|| field.strip_prefix(&in_document))?;
            let rest = rest.strip_prefix(".openAPIV3Schema")?;
            Some(SchemaLocation::root(version.node, Some(version.key)).follow_field(rest))
        })
    }
}
