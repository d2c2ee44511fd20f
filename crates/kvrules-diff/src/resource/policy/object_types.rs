//! The type of the objects of a request: that of a definition, or of a resource that Kubernetes itself serves.

use std::sync::Arc;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::Request;
use kvrules_crd::RunResources;
use kvrules_kubernetes::types::{
    BuiltInResource, Minor, find_kind, find_resources, resolve_metadata, resolve_schema,
};
use serde_json::{Map, Value, json};

use super::read_paths::ReadPaths;

/// The type of the objects of a resource.
pub(super) struct ObjectType {
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Its schema, with the fields that expressions read and those that objects must have.
    pub(super) schema: Value,
    pub(super) is_namespaced: bool,
    validator: ObjectSchema,
    /// True if it is a definition's: the server fills in the defaults of its schema.
    is_defined: bool,
}

impl ObjectType {
    /// The type of the objects of a request; `None` if it is not known.
    pub(super) fn of_request(request: &Request, paths: &ReadPaths, run: &RunResources) -> Option<Self> {
        defined_type(request, paths, run).or_else(|| built_in_type(request, paths))
    }

    /// An object as policies see it, with defaults; `None` if the server rejects it. `stored` is the object that it replaces.
    pub(super) fn admitted(&self, object: &Value, stored: Option<&Value>) -> Option<Value> {
        let answer = self.validator.admit_object(object, stored);
        if !answer.is_accepted() || (self.is_defined && !answer.unknown.is_empty()) {
            return None;
        }
        Some(if self.is_defined { answer.stored } else { object.clone() })
    }
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

fn defined_type(request: &Request, paths: &ReadPaths, run: &RunResources) -> Option<ObjectType> {
    let is_meant = |it: &ResourceVersion| {
        it.group == request.group && it.version == request.version && it.plural == request.resource
    };
    let version = run.definitions().flat_map(ResourceVersion::of_definition).find(is_meant)?;
    if !matches!(request.subresource.as_str(), "" | "status") {
        return None;
    }
    let mut schema = (*version.schema).clone();
    let metadata = resolve_metadata(Minor::NEWEST, &|name| paths.has_name(name));
    if let (Some(fields), Some(metadata)) = (schema.as_object_mut(), metadata) {
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("metadata".to_owned(), metadata);
        }
    }
    let validator = ObjectSchema::new(&version.schema)
        .with_status(version.has_status() && request.subresource.is_empty())
        .without_metadata_checks();
    Some(ObjectType {
        api_version: version.api_version(),
        kind: version.kind.clone(),
        schema,
        is_namespaced: version.is_namespaced,
        validator,
        is_defined: true,
    })
}

/// The built-in type of the object of a request; what is written to a subresource has a type of its own.
fn built_in_type(request: &Request, paths: &ReadPaths) -> Option<ObjectType> {
    let is_own = |it: &&BuiltInResource| it.version == request.version && it.plural == request.resource;
    let resource = find_resources(&request.group).find(is_own)?;
    let own = written_type(resource, request)?;
    let minor = Minor::newest_first().find(|minor| own.minors.contains(*minor))?;
    let whole = resolve_schema(minor, own, &|_| true)?;
    let schema = with_needed_fields(&whole, &|name| paths.has_name(name));
    Some(ObjectType {
        api_version: api_version(own.group, own.version),
        kind: own.kind.to_owned(),
        is_namespaced: resource.is_namespaced,
        validator: ObjectSchema::sharing_schema(Arc::new(schema.clone())).without_metadata_checks(),
        schema,
        is_defined: false,
    })
}

fn written_type(resource: &'static BuiltInResource, request: &Request) -> Option<&'static BuiltInResource> {
    if request.subresource.is_empty() {
        return Some(resource);
    }
    let part = resource.subresources.iter().find(|part| part.name == request.subresource)?;
    let (api, kind) = part.kind.rsplit_once('/')?;
    let (group, version) = api.rsplit_once('/').unwrap_or(("", api));
    find_kind(Minor::NEWEST, group, version, kind)
}

/// A schema with the fields that are wanted by their names and those that its objects must have.
fn with_needed_fields(schema: &Value, is_wanted: &dyn Fn(&str) -> bool) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let required: Vec<&str> = keywords
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let copy = |(keyword, value): (&String, &Value)| {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let is_kept = |name: &str| is_wanted(name) || required.contains(&name) || name == "metadata";
                let kept = properties.iter().filter(|(name, _)| is_kept(name));
                kept.map(|(name, field)| (name.clone(), with_needed_fields(field, is_wanted)))
                    .collect::<Map<_, _>>()
                    .into()
            }
            ("items" | "additionalProperties", _) => with_needed_fields(value, is_wanted),
            _ => value.clone(),
        };
        (keyword.clone(), value)
    };
    keywords.iter().map(copy).collect()
}
