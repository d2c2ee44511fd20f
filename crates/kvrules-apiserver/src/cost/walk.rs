//! The nodes of a schema where rules may stand, with how often a rule there is evaluated.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kvrules_cel::kubernetes::StringBounds;
use kvrules_cel::types::{
    MentionedProperties, REQUEST_BYTES, TypeDeclaration, declare_mentioned_in, is_embedded,
    resource_property, size_bound,
};
use kvrules_kubernetes::keywords::{INT_OR_STRING, LIST_TYPE, MAP_TYPE, VALIDATIONS};
use serde_json::Value;

use crate::node::{SchemaStep, bool_keyword, branch_nodes, child_nodes, value_of};

/// Number of evaluations of a rule for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cardinality {
    /// The factor.
    pub evaluations: u64,
    /// True if every list and map above has a bound; otherwise the factor is how many of the rule's own node fit into
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
    /// True if the node or one above it has a rule.
    in_scope: bool,
    /// Declaration by the type of a rule above, if it differs from the schema.
    declared_above: Option<Value>,
    /// True if the type of a rule above has no type for the node: it is an element of an int-or-string.
    pub(super) is_without_type: bool,
    /// The outermost list or object above whose elements or fields have no old value.
    pub(super) uncorrelatable: Option<String>,
}

/// The nodes of one schema with rules on or below them, branches included, by their addresses.
#[derive(Debug)]
pub(super) struct NodesWithRules {
    nodes: HashSet<*const Value>,
    /// Declarations of `self` for the rules of nodes, shared by all servers with the same bounds.
    declared: RefCell<HashMap<*const Value, Vec<KnownDeclaration>>>,
}

/// The declaration of `self` for the rules of a node, with the bounds of a server; none if the node has no type.
type KnownDeclaration = (StringBounds, Option<Arc<TypeDeclaration>>);

impl NodesWithRules {
    pub(super) fn of_schema(schema: &Value) -> Self {
        let mut nodes = HashSet::new();
        Self::collect_nodes(schema, &mut nodes);
        Self { nodes, declared: RefCell::default() }
    }

    /// Returns the declaration of `self` for the rules of a node of the schema, which is made once for all servers with the same bounds.
    pub(super) fn declare_once(
        &self,
        node: &SchemaNode<'_>,
        strings: StringBounds,
        declare: impl FnOnce() -> Option<TypeDeclaration>,
    ) -> Option<Arc<TypeDeclaration>> {
        let mut declared = self.declared.borrow_mut();
        let known = declared.entry(std::ptr::from_ref(node.schema)).or_default();
        if let Some((_, found)) = known.iter().find(|(bounds, _)| *bounds == strings) {
            return found.clone();
        }
        let made = declare().map(Arc::new);
        known.push((strings, made.clone()));
        made
    }

    fn collect_nodes(schema: &Value, nodes: &mut HashSet<*const Value>) -> bool {
        let mut found = has_rules(schema);
        for (_, child) in child_nodes(schema) {
            found |= Self::collect_nodes(child, nodes);
        }
        if found {
            nodes.insert(std::ptr::from_ref(schema));
        }
        found
    }

    pub(super) fn contains(&self, schema: &Value) -> bool {
        self.nodes.contains(&std::ptr::from_ref(schema))
    }
}

impl<'a> SchemaNode<'a> {
    // apiextensions validation/cel_validation.go, RootCELContext
    pub(super) fn root(schema: &'a Value) -> Self {
        Self {
            schema,
            path: "openAPIV3Schema".to_owned(),
            is_root: true,
            bounded: Some(1),
            uncorrelatable: None,
            in_scope: has_rules(schema),
            declared_above: None,
            is_without_type: false,
        }
    }

    /// Returns the declaration of `self` in a rule on this node.
    pub(super) fn declare_self(&self, strings: StringBounds) -> Option<TypeDeclaration> {
        self.declare_mentioned(MentionedProperties::Everything, strings)
    }

    /// The same for rules that mention these names.
    pub(super) fn declare_mentioned(
        &self,
        mentioned: MentionedProperties<'_>,
        strings: StringBounds,
    ) -> Option<TypeDeclaration> {
        match &self.declared_above {
            Some(schema) => declare_mentioned_in(schema, false, mentioned, strings),
            None => declare_mentioned_in(self.schema, self.is_resource(), mentioned, strings),
        }
    }

    fn is_resource(&self) -> bool {
        self.is_root || is_embedded(self.schema)
    }

    /// As what the type of a rule above declares a property, if that is not its own schema.
    ///
    /// Once a node has a rule, the types of all below it are parts of its type, and a resource's type has its own
    /// idea of `apiVersion`, `kind` and `metadata`.
    // apiextensions validation/cel_validation.go, TypeInfo and propertyTypeInfoAccessor
    fn declared_property(&self, name: &str) -> Option<Value> {
        if !self.in_scope {
            return None;
        }
        match &self.declared_above {
            Some(schema) => value_of(schema, "properties")?.get(name).cloned(),
            None => self.is_resource().then(|| resource_property(self.schema, name)).flatten(),
        }
    }

    pub(super) fn cardinality(&self, decl: &TypeDeclaration) -> Cardinality {
        match self.bounded {
            Some(evaluations) => Cardinality { evaluations, bounded: true },
            // apiextensions schema/cel/compilation.go, maxCardinality: one comma stands between two elements of a request.
            None => Cardinality { evaluations: REQUEST_BYTES / (decl.min_size + 1), bounded: false },
        }
    }

    /// The nodes directly below whose schemas are kept.
    pub(super) fn children(&self, keep: impl Fn(&Value) -> bool) -> Vec<Self> {
        let properties = value_of(self.schema, "properties").and_then(Value::as_object);
        let mut children: Vec<Self> = properties
            .into_iter()
            .flatten()
            .filter(|(_, schema)| keep(schema))
            .map(|(name, schema)| self.property(name, schema))
            .collect();
        children.extend(self.items().filter(|child| keep(child.schema)));
        children.extend(self.values().filter(|child| keep(child.schema)));
        children
    }

    /// The branches of the node, with the steps to them.
    pub(super) fn branches(&self) -> impl Iterator<Item = (SchemaStep<'a>, &'a Value)> {
        branch_nodes(self.schema)
    }

    /// The child that the first step of a path leads to, and the rest of the path. Of several the first counts.
    fn child_toward<'p>(&self, path: &'p str) -> Option<(Self, &'p str)> {
        let ends_step = |rest: &&str| rest.is_empty() || rest.starts_with('.');
        if let Some(names) = path.strip_prefix("properties[") {
            let properties = value_of(self.schema, "properties").and_then(Value::as_object)?;
            return properties.iter().find_map(|(name, schema)| {
                let rest = names.strip_prefix(name.as_str())?.strip_prefix(']').filter(ends_step)?;
                Some((self.property(name, schema), rest))
            });
        }
        let keyword = |keyword: &str| path.strip_prefix(keyword).filter(ends_step);
        if let Some(rest) = keyword("items") {
            return Some((self.items()?, rest));
        }
        keyword("additionalProperties").and_then(|rest| Some((self.values()?, rest)))
    }

    fn property(&self, name: &str, schema: &'a Value) -> Self {
        let declared_above = self.declared_property(name);
        let child = Self { declared_above, ..self.child(schema, &format!("properties[{name}]")) };
        if self.has_old_fields() { child } else { self.without_old_value(child) }
    }

    // apiextensions validation.go: rules correlate elements by keys alone, so those of a set have no old value either.
    fn items(&self) -> Option<Self> {
        let items = value_of(self.schema, "items").filter(|items| items.is_object())?;
        let child = self.child(items, "items");
        let by_key = value_of(self.schema, LIST_TYPE).and_then(Value::as_str) == Some("map");
        Some(if by_key { child } else { self.without_old_value(child) })
    }

    /// True if each field of the node can be found in the old value. The server assumes that it cannot for an unknown map type;
    /// this does not apply to `additionalProperties`.
    // apiextensions-apiserver schema/cel/validation.go, MapIsCorrelatable
    fn has_old_fields(&self) -> bool {
        let map_type = value_of(self.schema, MAP_TYPE).and_then(Value::as_str);
        map_type.is_none_or(|map_type| matches!(map_type, "granular" | "atomic"))
    }

    /// A child node without an old value. The outermost such location is reported.
    fn without_old_value(&self, mut child: Self) -> Self {
        child.uncorrelatable.get_or_insert_with(|| self.path.clone());
        child
    }

    fn values(&self) -> Option<Self> {
        let values = value_of(self.schema, "additionalProperties").filter(|values| values.is_object())?;
        Some(self.child(values, "additionalProperties"))
    }

    /// Maximum number of values of one kind below one value of the node, by its type alone; `None` without a bound.
    // apiextensions validation/cel_validation.go, extractMaxElements
    fn elements(&self) -> Option<u64> {
        match value_of(self.schema, "type").and_then(Value::as_str) {
            Some("object") if is_map(self.schema) => size_bound(self.schema, "maxProperties"),
            Some("array") => size_bound(self.schema, "maxItems"),
            _ => Some(1),
        }
    }

    // validation/cel_validation.go, childContext: one list without a bound leaves everything below without one.
    fn child(&self, schema: &'a Value, step: &str) -> Self {
        let bounded = self.bounded.zip(self.elements()).map(|(above, here)| above.saturating_mul(here));
        Self {
            schema,
            path: format!("{}.{step}", self.path),
            is_root: false,
            bounded,
            uncorrelatable: self.uncorrelatable.clone(),
            in_scope: self.in_scope || has_rules(schema),
            declared_above: None,
            is_without_type: self.in_scope && bool_keyword(self.schema, INT_OR_STRING),
        }
    }
}

fn has_rules(schema: &Value) -> bool {
    let rules = value_of(schema, VALIDATIONS).and_then(Value::as_array);
    rules.is_some_and(|rules| !rules.is_empty())
}

/// True if the server sees `additionalProperties`; it ignores `null`.
fn is_map(schema: &Value) -> bool {
    value_of(schema, "additionalProperties").is_some_and(|values| !values.is_null())
}

/// The node at a path below the root, such as `properties[spec].items`.
pub(super) fn find_node<'a>(root: &'a Value, path: &str) -> Option<SchemaNode<'a>> {
    let mut rest = path.trim_start_matches("openAPIV3Schema").trim_start_matches('.');
    let mut node = SchemaNode::root(root);
    while !rest.is_empty() {
        let (child, after) = node.child_toward(rest)?;
        node = child;
        match after.strip_prefix('.') {
            Some("") => return None,
            next => rest = next.unwrap_or_default(),
        }
    }
    Some(node)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_the_node_that_the_server_calls_so() {
        let schema = json!({"type": "object", "properties": {
            "a": {"properties": {"b].items": {"items": {"title": "brackets"}}, "b": {"items": {"title": "plain"}}}},
            "m": {"additionalProperties": {"title": "value"}}, "items": {"title": "property"}}});
        let title = |path: &str| {
            find_node(&schema, path).map(|node| (node.path.clone(), node.schema["title"].clone()))
        };
        for (path, expected) in [
            ("properties[a].properties[b].items", "plain"),
            ("openAPIV3Schema.properties[a].properties[b].items].items", "brackets"),
            ("properties[m].additionalProperties", "value"),
            (".properties[items]", "property"),
        ] {
            let (found, title) = title(path).unwrap();
            assert_eq!(title, expected, "{path}");
            assert!(found.ends_with(path.trim_start_matches('.')), "{found}");
        }
        for nowhere in ["properties[c]", "properties[m].items", "properties[m].", "items", "properties[m]x"] {
            assert!(find_node(&schema, nowhere).is_none(), "{nowhere}");
        }
    }
}
