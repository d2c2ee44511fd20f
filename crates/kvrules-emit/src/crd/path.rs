//! Nodes of a schema, by the way to them from its root.

use std::fmt;

use serde_json::Value;

/// One step down the spine of a schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Segment {
    /// `properties` and a name.
    Field(String),
    /// `items`.
    Items,
    /// `additionalProperties`.
    Values,
}

/// A node of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodePath(pub(super) Vec<Segment>);

impl NodePath {
    /// The node one step below.
    pub(super) fn child_path(&self, segment: Segment) -> Self {
        Self(self.0.iter().cloned().chain([segment]).collect())
    }

    /// The nodes from the root down to this one.
    pub(super) fn way(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len()).map(|count| Self(self.0.iter().take(count).cloned().collect()))
    }

    /// The node in a schema.
    pub(super) fn find<'v>(&self, schema: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(schema, |node, segment| match segment {
            Segment::Field(name) => node.get("properties")?.get(name),
            Segment::Items => node.get("items"),
            Segment::Values => node.get("additionalProperties"),
        })
    }

    /// The node in a schema that may be changed.
    pub(super) fn find_mut<'v>(&self, schema: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(schema, |node, segment| match segment {
            Segment::Field(name) => node.get_mut("properties")?.get_mut(name),
            Segment::Items => node.get_mut("items"),
            Segment::Values => node.get_mut("additionalProperties"),
        })
    }

    /// The name that the server gives the node: `properties[spec].items`.
    pub(super) fn server_name(&self) -> String {
        let parts = self.0.iter().map(|segment| match segment {
            Segment::Field(name) => format!("properties[{name}]"),
            Segment::Items => "items".to_owned(),
            Segment::Values => "additionalProperties".to_owned(),
        });
        parts.collect::<Vec<_>>().join(".")
    }
}

/// As people write it: `.spec.disks[*].bus`.
impl fmt::Display for NodePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("the root");
        }
        self.0.iter().try_for_each(|segment| match segment {
            Segment::Field(name) => write!(formatter, ".{name}"),
            Segment::Items | Segment::Values => formatter.write_str("[*]"),
        })
    }
}
