//! From a place in a schema to a place in the text that it was read from.

use std::collections::HashMap;

use kvrules_compare::Site;
use kvrules_diagnostics::FileId;
use kvrules_syntax::{Node, Stream, parse_stream};

use super::{Content, Location, Part, Unit};

/// Texts, parsed when something in them is first looked for.
#[derive(Debug, Default)]
pub(super) struct Places<'s> {
    streams: HashMap<FileId, Stream<'s>>,
}

impl<'s> Places<'s> {
    /// Where something of a unit is written.
    pub(super) fn of(&mut self, site: &Site, (part, unit): (&'s Part, &'s Unit)) -> Option<Location> {
        let source = &part.source;
        match site {
            Site::Nowhere => None,
            Site::Span(span) => Some(Location::of(source, span.start)),
            Site::Pointer(pointer) => {
                let (number, way): (usize, &[String]) = match &unit.content {
                    Content::Schema(schema) => (schema.address.0, &schema.address.1),
                    Content::JsonSchema(schema) => (schema.number, &[]),
                    _ => return None,
                };
                let stream = self
                    .streams
                    .entry(source.id())
                    .or_insert_with(|| parse_stream(source.id(), source.text()));
                let root = stream.documents.get(number)?.root()?;
                let way = [way, pointer].concat();
                Some(Location::of(source, find(root, &way).span().start))
            }
        }
    }
}

/// The node at a path, or the last one on the way to it. Of a field it is the key.
pub(super) fn find<'d>(root: Node<'d>, path: &[String]) -> Node<'d> {
    let (mut at, mut told) = (root, root);
    for token in path {
        let next = if at.is_list() {
            token.parse().ok().and_then(|index| at.items().nth(index)).map(|item| (item, item))
        } else {
            at.entry(token).map(|entry| (entry.value, entry.key))
        };
        let Some((value, key)) = next else { break };
        (at, told) = (value, key);
    }
    told
}
