//! Facts of a structural schema about its nodes.

use std::collections::BTreeSet;

use kvrules_ir::Presence;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::Value;

use super::path::{NodePath, Segment};
use super::placement::SchemaGround;

/// A structural schema.
#[derive(Clone, Debug)]
pub(super) struct StructuralSchema {
    /// The value of `openAPIV3Schema`.
    pub(super) value: Value,
    /// Nodes whose text is shared with other nodes, so that nothing can be added to one of them alone.
    pub(super) shared: BTreeSet<NodePath>,
}

/// Knowledge of the schema about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeKnowledge {
    /// It describes the node.
    Declared,
    /// The schema at this path, an ancestor of the requested node, does not describe what is below it.
    Open(NodePath),
    /// The node of this path has no such field.
    Missing(NodePath, String),
}

/// Fields of every object that the API server itself knows, whatever the schema declares.
const OF_EVERY_OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl StructuralSchema {
    /// Returns the schema's knowledge about a node.
    pub(super) fn known(&self, node: &NodePath) -> NodeKnowledge {
        if is_of_every_object(node) {
            return NodeKnowledge::Declared;
        }
        let Some(last) = node.way().take_while(|above| above.find(&self.value).is_some()).last() else {
            return NodeKnowledge::Missing(NodePath::default(), String::new());
        };
        let Some(next) = node.0.get(last.0.len()) else { return NodeKnowledge::Declared };
        let is_open = last.find(&self.value).is_none_or(is_open);
        match next {
            _ if is_open => NodeKnowledge::Open(last),
            Segment::Field(name) => NodeKnowledge::Missing(last, name.clone()),
            Segment::Items | Segment::Values => NodeKnowledge::Missing(last, "*".to_owned()),
        }
    }
}

/// True if a node accepts undeclared fields.
fn is_open(node: &Value) -> bool {
    is_true(node, PRESERVE_UNKNOWN_FIELDS)
        || is_true(node, EMBEDDED_RESOURCE)
        || is_true(node, "additionalProperties")
}

/// True if a keyword of a node is `true`.
pub(super) fn is_true(node: &Value, keyword: &str) -> bool {
    node.get(keyword) == Some(&Value::Bool(true))
}

fn is_of_every_object(node: &NodePath) -> bool {
    matches!(node.0.first(), Some(Segment::Field(name)) if OF_EVERY_OBJECT.contains(&name.as_str()))
}

impl SchemaGround for StructuralSchema {
    fn keeps(&self, around: &NodePath, name: &str, _: Presence) -> bool {
        let required = || {
            let required = around.find(&self.value).and_then(|node| node.get("required")?.as_array());
            required.is_some_and(|names| names.iter().any(|own| own == name))
        };
        let field = around.child_path(Segment::Field(name.to_owned()));
        field.find(&self.value).is_some_and(|field| {
            let defaulted = field.get("default").is_some_and(|default| !default.is_null());
            // The server sets defaults first, but keeps an explicit null if the field is nullable.
            !is_true(field, "nullable") && (defaulted || required())
        })
    }

    fn carries(&self, node: &NodePath) -> bool {
        // The server refuses rules on the metadata of the object itself.
        !is_of_every_object(node)
            && !node.way().any(|above| self.shared.contains(&above))
            && node
                .find(&self.value)
                .is_some_and(|node| node.get("type").is_some() || is_true(node, INT_OR_STRING))
    }
}
