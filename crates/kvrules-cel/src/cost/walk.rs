//! The nodes of a schema where rules may stand, with how often a rule there is evaluated.

use serde_json::Value;

use crate::node::branches;
use crate::types::{Decl, REQUEST_BYTES, bound, declare, is_embedded};

/// How often a rule is evaluated for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cardinality {
    /// The factor.
    pub evaluations: u64,
    /// Whether every list and map above has a bound; if not, the factor is how many of the rule's own node fit into
    /// a request.
    pub bounded: bool,
}

/// A node of the spine.
#[derive(Clone, Debug)]
pub(super) struct SchemaNode<'a> {
    pub(super) schema: &'a Value,
    /// As the server writes it, from `openAPIV3Schema` on.
    pub(super) path: String,
    is_root: bool,
    bounded: Option<u64>,
    /// The outermost list above whose elements have no old value.
    pub(super) uncorrelatable: Option<String>,
}

impl<'a> SchemaNode<'a> {
    pub(super) fn root(schema: &'a Value) -> Self {
        Self {
            schema,
            path: "openAPIV3Schema".to_owned(),
            is_root: true,
            bounded: Some(1),
            uncorrelatable: None,
        }
    }

    /// What `self` is in a rule on this node.
    pub(super) fn declare(&self) -> Option<Decl> {
        declare(self.schema, self.is_root || is_embedded(self.schema))
    }

    pub(super) fn cardinality(&self, decl: &Decl) -> Cardinality {
        match self.bounded {
            Some(evaluations) => Cardinality { evaluations, bounded: true },
            None => Cardinality { evaluations: REQUEST_BYTES / (decl.min_size + 1), bounded: false },
        }
    }

    /// The nodes directly below.
    pub(super) fn children(&self) -> Vec<Self> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let mut children: Vec<Self> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| self.child(schema, &format!("properties[{name}]"), self.bounded))
            .collect();
        children.extend(self.items());
        children.extend(self.values());
        children
    }

    /// The branches of the node, with the steps to them.
    pub(super) fn branches(&self) -> Vec<(String, &'a Value)> {
        branches(self.schema)
    }

    fn items(&self) -> Option<Self> {
        let items = self.schema.get("items").filter(|items| items.is_object())?;
        let mut child = self.child(items, "items", self.times("array", "maxItems"));
        let by_key = self.schema.get("x-kubernetes-list-type").and_then(Value::as_str) == Some("map");
        if !by_key && child.uncorrelatable.is_none() {
            child.uncorrelatable = Some(self.path.clone());
        }
        Some(child)
    }

    fn values(&self) -> Option<Self> {
        let values = self.schema.get("additionalProperties").filter(|values| values.is_object())?;
        Some(self.child(values, "additionalProperties", self.times("object", "maxProperties")))
    }

    fn times(&self, ty: &str, keyword: &str) -> Option<u64> {
        let is_type = self.schema.get("type").and_then(Value::as_str) == Some(ty);
        let bound = bound(self.schema, keyword).filter(|_| is_type)?;
        Some(self.bounded?.saturating_mul(bound))
    }

    fn child(&self, schema: &'a Value, step: &str, bounded: Option<u64>) -> Self {
        Self {
            schema,
            path: format!("{}.{step}", self.path),
            is_root: false,
            bounded,
            uncorrelatable: self.uncorrelatable.clone(),
        }
    }
}

/// The node at a path below the root, such as `properties[spec].items`.
pub(super) fn find<'a>(root: &'a Value, path: &str) -> Option<SchemaNode<'a>> {
    let wanted = path.trim_start_matches("openAPIV3Schema").trim_start_matches('.');
    let wanted = match wanted {
        "" => "openAPIV3Schema".to_owned(),
        steps => format!("openAPIV3Schema.{steps}"),
    };
    let mut node = SchemaNode::root(root);
    while node.path != wanted {
        let leads = |child: &SchemaNode<'_>| {
            let rest = wanted.strip_prefix(&child.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        node = node.children().into_iter().find(leads)?;
    }
    Some(node)
}
