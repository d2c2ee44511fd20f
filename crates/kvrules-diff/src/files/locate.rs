//! From a place in a schema to a place in the text that it was read from.

use std::collections::HashMap;

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_sources::{Input, ParsedStreams};
use kvrules_syntax::Node;

use super::{ComparableUnit, Location, SideFile, UnitContent};
use crate::ChangeSite;

/// Texts, parsed when something in them is first looked for.
pub(super) struct SiteLocator<'s> {
    inputs: &'s HashMap<FileId, Input<'s>>,
    streams: HashMap<FileId, ParsedStreams<'s>>,
}

impl<'s> SiteLocator<'s> {
    pub(super) fn new(inputs: &'s HashMap<FileId, Input<'s>>) -> Self {
        Self { inputs, streams: HashMap::new() }
    }

    /// Returns the location of a part of a unit.
    pub(super) fn locate_site(
        &mut self,
        site: &ChangeSite,
        (part, unit): (&'s SideFile, &'s ComparableUnit),
    ) -> Option<Location> {
        let source = &part.source;
        match site {
            ChangeSite::Absent => None,
            ChangeSite::Span(span) => Some(Location::from_offset(source, span.start)),
            ChangeSite::Pointer(pointer) => {
                let (number, way): (usize, &[String]) = match &unit.content {
                    UnitContent::Schema(schema) => (schema.address.0, &schema.address.1),
                    UnitContent::JsonSchema(schema) => (schema.number, &[]),
                    _ => return None,
                };
                let root = self.document_root(source, number)?;
                let way = [way, pointer].concat();
                Some(Location::from_offset(source, find_node(root, &way).span().start))
            }
            ChangeSite::Resource(path) => self.in_resource(path, (part, unit)),
            ChangeSite::Definition(pointer) => {
                let UnitContent::Schema(schema) = &unit.content else { return None };
                let version = schema.address.1.len().checked_sub(IN_VERSION)?;
                let way = [schema.address.1.get(..version)?, pointer].concat();
                let root = self.document_root(source, schema.address.0)?;
                Some(Location::from_offset(source, find_node(root, &way).span().start))
            }
        }
    }

    /// Returns the location of a path in the resource of a unit.
    fn in_resource(
        &mut self,
        path: &[String],
        (part, unit): (&'s SideFile, &'s ComparableUnit),
    ) -> Option<Location> {
        let (number, way): (usize, &[String]) = match &unit.content {
            UnitContent::Schema(schema) => (
                schema.address.0,
                schema.address.1.get(..schema.address.1.len().checked_sub(IN_DEFINITION)?)?,
            ),
            UnitContent::Policy(policy) => (policy.address.0, &policy.address.1),
            _ => return None,
        };
        let root = self.document_root(&part.source, number)?;
        Some(Location::from_offset(&part.source, find_node(root, &[way, path].concat()).span().start))
    }

    /// The root of a document of a text.
    fn document_root(&mut self, source: &'s SourceFile, number: usize) -> Option<Node<'_>> {
        let input = self.inputs.get(&source.id())?;
        let streams = self.streams.entry(source.id()).or_insert_with(|| input.parse_streams(source));
        streams.as_slice().iter().flat_map(|stream| &stream.documents).nth(number)?.root()
    }
}

/// The way from a version to its schema has so many tokens, `schema` and `openAPIV3Schema`.
const IN_VERSION: usize = 2;

/// The way from a definition to a schema has so many tokens: `spec`, `versions`, the index, and those in the version.
const IN_DEFINITION: usize = 3 + IN_VERSION;

/// The node at a path, or the last one on the way to it. Of a field it is the key.
pub(super) fn find_node<'d>(root: Node<'d>, path: &[String]) -> Node<'d> {
    let (mut at, mut nearest) = (root, root);
    for token in path {
        let next = if at.is_list() {
            token.parse().ok().and_then(|index| at.items().nth(index)).map(|item| (item, item))
        } else {
            at.entry(token).map(|entry| (entry.value, entry.key))
        };
        let Some((value, key)) = next else { break };
        (at, nearest) = (value, key);
    }
    nearest
}
