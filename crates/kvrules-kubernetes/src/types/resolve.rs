//! Schemas with the schemas that they refer to.

use crate::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::{Map, Value, json};

use crate::types::index::{BuiltInResource, schema_texts};
use crate::types::minor::Minor;
use crate::types::stored::mark_stored;

/// Returns the schema of a resource's objects as a minor has it, with every reference replaced. Properties whose names
/// `is_wanted` rejects are left out.
///
/// ```
/// use kvrules_kubernetes::types::{Minor, find_kind, resolve_schema};
/// let pods = find_kind(Minor::NEWEST, "", "v1", "Pod").unwrap();
/// let wanted = ["spec", "containers", "image"];
/// let schema = resolve_schema(Minor::NEWEST, pods, &|name| wanted.contains(&name)).unwrap();
/// let items = schema.pointer("/properties/spec/properties/containers/items/properties").unwrap();
/// assert_eq!(items, &serde_json::json!({"image": {"type": "string"}}));
/// ```
pub fn resolve_schema(
    minor: Minor,
    resource: &BuiltInResource,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Value> {
    SchemaResolver { minor, is_wanted, open: Vec::new(), names_quantities: false, stored_kind: None }
        .resolve_reference(resource.schema)
}

/// Returns the same schema in which quantities have the format `quantity`, which the API does not declare.
///
/// ```
/// use kvrules_kubernetes::types::{Minor, find_kind, resolve_quantities};
/// let claims = find_kind(Minor::NEWEST, "", "v1", "PersistentVolumeClaim").unwrap();
/// let schema = resolve_quantities(Minor::NEWEST, claims, &|_| true).unwrap();
/// let sizes = schema.pointer("/properties/spec/properties/resources/properties/requests/additionalProperties").unwrap();
/// assert_eq!(sizes["format"], "quantity");
/// ```
pub fn resolve_quantities(
    minor: Minor,
    resource: &BuiltInResource,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Value> {
    SchemaResolver { minor, is_wanted, open: Vec::new(), names_quantities: true, stored_kind: None }
        .resolve_reference(resource.schema)
}

/// Returns the same schema with what objects have when a server stores them: the fields that are always there are required, also those
/// that the server fills in; quantities have a pattern; and what its code demands are rules in CEL.
///
/// ```
/// use kvrules_kubernetes::types::{Minor, find_kind, resolve_stored_schema};
/// let claims = find_kind(Minor::NEWEST, "", "v1", "PersistentVolumeClaim").unwrap();
/// let schema = resolve_stored_schema(Minor::NEWEST, claims, &|_| true).unwrap();
/// let sizes = schema.pointer("/properties/spec/properties/resources/properties/requests/additionalProperties").unwrap();
/// assert!(sizes["pattern"].is_string());
/// assert_eq!(schema.pointer("/properties/spec/required").unwrap(), &serde_json::json!(["accessModes", "resources", "volumeMode"]));
/// ```
pub fn resolve_stored_schema(
    minor: Minor,
    resource: &BuiltInResource,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Value> {
    SchemaResolver {
        minor,
        is_wanted,
        open: Vec::new(),
        names_quantities: false,
        stored_kind: Some(resource.kind),
    }
    .resolve_reference(resource.schema)
}

/// Returns the schema of `metadata`, which is the same for all objects, also those of CustomResourceDefinitions.
pub fn resolve_metadata(minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
    SchemaResolver { minor, is_wanted, open: Vec::new(), names_quantities: false, stored_kind: None }
        .resolve_reference(METADATA)
}

/// Returns the schema of `metadata` with the fields that every stored object has as required ones.
pub fn resolve_stored_metadata(minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
    SchemaResolver { minor, is_wanted, open: Vec::new(), names_quantities: false, stored_kind: Some("") }
        .resolve_reference(METADATA)
}

/// The schema of `metadata`.
const METADATA: &str = "apimachinery.pkg.apis.meta.v1.ObjectMeta";

struct SchemaResolver<'a> {
    minor: Minor,
    is_wanted: &'a dyn Fn(&str) -> bool,
    /// The references that are being replaced.
    open: Vec<String>,
    /// True if quantities have the format `quantity`, which no API declares.
    names_quantities: bool,
    /// The kind of the objects, if the schema is that of stored ones.
    stored_kind: Option<&'a str>,
}

/// The schema of quantities.
const QUANTITY: &str = "apimachinery.pkg.api.resource.Quantity";

/// The form in which the server writes quantities.
// apimachinery pkg/api/resource quantity.go, CanonicalizeBytes
const QUANTITY_PATTERN: &str = "^-?[0-9]+([numkMGTPE]|[KMGTPE]i)?$";

impl SchemaResolver<'_> {
    // apiserver pkg/cel/openapi/resolver/refs.go, populateRefs: what contains itself ends in an object of any form
    fn resolve_reference(&mut self, name: &str) -> Option<Value> {
        if self.open.iter().any(|open| open == name) {
            return Some(json!({"type": "object"}));
        }
        if self.names_quantities && name == QUANTITY {
            return Some(json!({"type": "string", "format": "quantity"}));
        }
        if self.stored_kind.is_some() && name == QUANTITY {
            return Some(json!({"type": "string", "pattern": QUANTITY_PATTERN}));
        }
        let text = schema_texts(name).iter().find(|text| text.minors.contains(self.minor))?;
        let schema = text.parse_schema()?;
        self.open.push(name.to_owned());
        let mut resolved = self.resolve_node(schema);
        self.open.pop();
        if let Some(kind) = self.stored_kind {
            mark_stored(name, kind, schema, &mut resolved);
        }
        Some(resolved)
    }

    fn resolve_node(&mut self, schema: &Value) -> Value {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            return self.resolve_reference(name).unwrap_or(Value::Object(Map::new()));
        }
        let mut resolved = Map::new();
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            let value = match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => self.resolve_properties(properties),
                ("items" | "additionalProperties", Value::Object(_)) => self.resolve_node(value),
                _ => value.clone(),
            };
            resolved.insert(keyword.clone(), value);
        }
        Value::Object(resolved)
    }

    fn resolve_properties(&mut self, properties: &Map<String, Value>) -> Value {
        let wanted = properties.iter().filter(|(name, _)| (self.is_wanted)(name));
        let wanted: Vec<_> = wanted.collect();
        Value::Object(
            wanted.into_iter().map(|(name, schema)| (name.clone(), self.resolve_node(schema))).collect(),
        )
    }
}

/// Keeps the types of a built-in schema. What is required and what has a default is the business of the server's own validation:
/// rules in policies see objects as they are stored, in which optional fields may be absent. Items are not matched with stored ones.
///
/// ```
/// let mut schema = serde_json::json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": ""}}});
/// kvrules_kubernetes::types::drop_requirements(&mut schema);
/// assert_eq!(schema, serde_json::json!({"type": "object", "properties": {"a": {"type": "string"}}}));
/// ```
pub fn drop_requirements(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for keyword in ["required", "default", LIST_TYPE, LIST_MAP_KEYS] {
        fields.shift_remove(keyword);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(drop_requirements);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(below) = fields.get_mut(keyword) {
            drop_requirements(below);
        }
    }
}
