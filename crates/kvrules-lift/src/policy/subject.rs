//! The requests that a policy is about, as a schema.

use std::sync::Arc;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::policy::Request;
use kvrules_generate::without_rules;
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::{Map, Value as Json, json};

/// A resource that a policy matches, with the types of its objects.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySubject {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource, such as `deployments`.
    pub resource: String,
    /// The kind of its objects.
    pub kind: String,
    /// The schema of its objects.
    pub object: Json,
    /// The schema of the parameters, if the policy has a kind of them that is known.
    pub params: Option<Json>,
}

/// The names in expressions that are null if the request has no such object.
pub(super) const NULLABLE_ROOTS: &[&str] = &["object", "oldObject", "params", "namespaceObject"];

/// The names in expressions whose values are made from schemas.
pub(super) const ROOTS: &[&str] = &["object", "oldObject", "params", "namespaceObject", "request"];

/// The operations with an object of the resource's kind.
const OPERATIONS: &[&str] = &["CREATE", "UPDATE", "DELETE"];

impl PolicySubject {
    /// Returns the resource of a version, whose schema is that of its objects. No parameters are known.
    pub fn of_version(version: &ResourceVersion) -> Self {
        Self {
            group: version.group.clone(),
            version: version.version.clone(),
            resource: version.plural.clone(),
            kind: version.kind.clone(),
            object: without_rules(&version.schema),
            params: None,
        }
    }

    /// Returns the `apiVersion` of the objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns the resource with its group, such as `deployments.apps`.
    pub fn resource_name(&self) -> String {
        if self.group.is_empty() {
            self.resource.clone()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }

    /// Returns the operations that a policy matches for this resource: `CREATE`, `UPDATE`, `DELETE`.
    pub fn matched_operations(&self, document: &Json) -> Vec<&'static str> {
        let rules = document.pointer("/spec/matchConstraints/resourceRules").and_then(Json::as_array);
        let lists = |rule: &Json, key: &str, wanted: &str| {
            let values = rule.get(key).and_then(Json::as_array).into_iter().flatten();
            values.filter_map(Json::as_str).any(|value| value == wanted || value == "*")
        };
        let is_about = |rule: &&Json| {
            lists(rule, "apiGroups", &self.group)
                && lists(rule, "apiVersions", &self.version)
                && lists(rule, "resources", &self.resource)
        };
        let rules: Vec<&Json> = rules.into_iter().flatten().filter(is_about).collect();
        let is_matched = |operation: &&&str| rules.iter().any(|rule| lists(rule, "operations", operation));
        OPERATIONS.iter().filter(is_matched).copied().collect()
    }

    /// The schema of requests: a property for each name that expressions see. A property that is absent is a null.
    pub(super) fn request_schema(&self, document: &Json) -> Arc<Json> {
        let operations = self.matched_operations(document);
        let object = self.object_schema();
        let mut required = vec!["request"];
        if !operations.contains(&"DELETE") {
            required.push("object");
        }
        if !operations.contains(&"CREATE") {
            required.push("oldObject");
        }
        let mut properties = Map::new();
        properties.insert("object".to_owned(), object.clone());
        properties.insert("oldObject".to_owned(), object);
        properties.insert("namespaceObject".to_owned(), namespace_schema());
        properties.insert("request".to_owned(), request_schema(&operations));
        if let Some(params) = &self.params {
            properties.insert("params".to_owned(), with_declared_requirements(params));
        }
        Arc::new(json!({"type": "object", "properties": properties, "required": required}))
    }

    /// Returns the schema of objects with what every stored object has, and without requirements of fields that it does not declare.
    pub fn object_schema(&self) -> Json {
        let mut schema = with_declared_requirements(&self.object);
        let api_version = self.api_version();
        let Some(fields) = schema.as_object_mut() else { return schema };
        let required = fields.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.extend(["apiVersion", "kind", "metadata"].map(Json::from));
        }
        if let Some(properties) = fields.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert("apiVersion".to_owned(), json!({"type": "string", "enum": [api_version]}));
            properties.insert("kind".to_owned(), json!({"type": "string", "enum": [self.kind]}));
            let metadata = properties.entry("metadata").or_insert_with(|| json!({"type": "object"}));
            declare_name(metadata);
        }
        schema
    }

    /// The request that a value of the schema stands for, and the parameters.
    pub(super) fn request_of(&self, value: &Json) -> (Request, Json) {
        let part = |name: &str| value.get(name).cloned().unwrap_or(Json::Null);
        let facts = part("request");
        let text = |name: &str| facts.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (object, old) = (part("object"), part("oldObject"));
        let mut request = match text("operation").as_str() {
            "DELETE" => Request::for_deletion(&self.group, &self.resource, old),
            "UPDATE" => Request::for_update(&self.group, &self.resource, object, old),
            _ => Request::for_creation(&self.group, &self.resource, object),
        };
        request.version.clone_from(&self.version);
        request.namespace_object = part("namespaceObject");
        let known = ["userInfo", "dryRun", "namespace"];
        let extra = known.into_iter().filter_map(|name| Some((name.to_owned(), facts.get(name)?.clone())));
        request.extra = Json::Object(extra.collect());
        (request, part("params"))
    }
}

/// Declares the name in the schema of `metadata`. Every object has one when policies are evaluated.
fn declare_name(metadata: &mut Json) {
    let Some(metadata) = metadata.as_object_mut() else { return };
    metadata.insert("required".to_owned(), json!(["name"]));
    let properties = metadata.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("name".to_owned(), json!({"type": "string", "minLength": 1}));
    }
}

/// The schema without requirements of fields that it does not declare: fields that no expression names are left out. Items whose keys
/// are left out would all be equal, so that the type of their list is left out too.
fn with_declared_requirements(schema: &Json) -> Json {
    match schema {
        Json::Object(keywords) => {
            let properties = keywords.get("properties").and_then(Json::as_object);
            let is_declared = |name: &&Json| {
                name.as_str().is_some_and(|name| properties.is_some_and(|known| known.contains_key(name)))
            };
            let copy = |(keyword, value): (&String, &Json)| {
                let value = match (keyword.as_str(), value) {
                    ("required", Json::Array(names)) => names.iter().filter(is_declared).cloned().collect(),
                    _ => with_declared_requirements(value),
                };
                (keyword.clone(), value)
            };
            let lacks_keys = has_undeclared_keys(keywords);
            let is_kept = |(keyword, _): &(&String, &Json)| {
                !lacks_keys || ![LIST_TYPE, LIST_MAP_KEYS].contains(&keyword.as_str())
            };
            keywords.iter().filter(is_kept).map(copy).collect()
        }
        Json::Array(items) => items.iter().map(with_declared_requirements).collect(),
        other => other.clone(),
    }
}

/// True for a list whose items have keys that the schema does not declare.
fn has_undeclared_keys(list: &Map<String, Json>) -> bool {
    let declared = list.get("items").and_then(|items| items.get("properties"));
    let keys = list.get(LIST_MAP_KEYS).and_then(Json::as_array).into_iter().flatten();
    keys.filter_map(Json::as_str).any(|key| declared.and_then(|declared| declared.get(key)).is_none())
}

/// The schema of `request`, as far as requests differ in it.
fn request_schema(operations: &[&str]) -> Json {
    let texts = json!({"type": "array", "items": {"type": "string"}, "maxItems": 4});
    json!({
        "type": "object",
        "required": ["operation", "userInfo", "dryRun", "namespace"],
        "properties": {
            "operation": {"type": "string", "enum": operations},
            "namespace": {"type": "string", "minLength": 1},
            "dryRun": {"type": "boolean"},
            "userInfo": {
                "type": "object",
                "required": ["username", "groups"],
                "properties": {
                    "username": {"type": "string", "minLength": 1},
                    "groups": texts,
                    "uid": {"type": "string", "minLength": 1},
                    "extra": {"type": "object", "additionalProperties": texts},
                },
            },
        },
    })
}

/// The schema of `namespaceObject`.
// admission/plugin/cel/compile.go, BuildNamespaceType
fn namespace_schema() -> Json {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    json!({
        "type": "object",
        "required": ["metadata"],
        "properties": {
            "metadata": {
                "type": "object",
                // Every namespace has the label `kubernetes.io/metadata.name`.
                "required": ["name", "labels"],
                "properties": {"name": {"type": "string", "minLength": 1}, "labels": texts, "annotations": texts},
            },
        },
    })
}
