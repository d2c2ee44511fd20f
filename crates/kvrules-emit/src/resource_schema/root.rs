//! The object as a whole: version, kind and metadata.

use kvrules_apiserver::definition::{AuthoredObjects, DOCUMENT_FIELD, ResourceVersion};
use serde_json::{Map, Value, json};

use super::{Converter, NullTreatment};

/// The fields that every object has.
const HEAD: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Keywords that restrict no string.
const UNRESTRICTING: [&str; 6] = ["type", "nullable", "description", "title", "default", "example"];

/// Adds to the schema of a version or kind what rules and the definition demand of it.
fn add_restrictions(schema: &mut Value, own: Option<&Value>) {
    let own = own.and_then(Value::as_object).into_iter().flatten();
    let further = own.filter(|(keyword, _)| !UNRESTRICTING.contains(&keyword.as_str()));
    let further: Map<String, Value> =
        further.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
    if let Some(schema) = schema.as_object_mut()
        && !further.is_empty()
    {
        schema.insert("allOf".to_owned(), json!([further]));
    }
}

impl Converter {
    pub(super) fn convert_root(&mut self, version: &ResourceVersion) -> Map<String, Value> {
        let empty = Map::new();
        let node = version.schema.as_object().unwrap_or(&empty);
        if version.is_of_documents() {
            return self.convert_document(&version.schema);
        }
        let mut made = self.convert_node(&version.schema, NullTreatment::Kept);
        let metadata = self.convert_metadata(node);
        let own = made.remove("properties").and_then(|it| it.as_object().cloned()).unwrap_or_default();
        let mut head = vec![
            ("apiVersion", json!({ "type": "string", "const": version.api_version() })),
            ("kind", json!({ "type": "string", "const": version.kind })),
            ("metadata", metadata),
        ];
        let is_of_any_kind = version.authored_objects() == AuthoredObjects::OfAnyKind;
        for (name, schema) in head.iter_mut().filter(|(name, _)| *name != "metadata") {
            if is_of_any_kind {
                *schema = own.get(*name).cloned().unwrap_or_else(|| json!({"type": "string"}));
            } else {
                add_restrictions(schema, own.get(*name));
            }
        }
        let mut properties = Map::new();
        for (name, schema) in &mut head {
            if let (Some(description), Some(schema)) =
                (own.get(*name).and_then(|it| it.get("description")), schema.as_object_mut())
            {
                schema.insert("description".to_owned(), description.clone());
            }
            properties.insert((*name).to_owned(), schema.clone());
        }
        properties.extend(own.into_iter().filter(|(name, _)| !HEAD.contains(&name.as_str())));
        let required = made.remove("required").and_then(|it| it.as_array().cloned()).unwrap_or_default();
        let further = required.into_iter().filter(|name| !HEAD.iter().any(|head| name == head));
        let required: Vec<Value> = HEAD.iter().map(|name| Value::from(*name)).chain(further).collect();
        made.insert("type".to_owned(), "object".into());
        made.insert("required".to_owned(), required.into());
        made.insert("properties".to_owned(), properties.into());
        made
    }

    /// The schema of documents, which are in a field of the objects of the version.
    fn convert_document(&mut self, schema: &Value) -> Map<String, Value> {
        let made = self.convert_node(schema, NullTreatment::Kept);
        let document = made.get("properties").and_then(|properties| properties.get(DOCUMENT_FIELD));
        document.and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// Of metadata a definition restricts names alone.
    fn convert_metadata(&mut self, node: &Map<String, Value>) -> Value {
        let own = node.get("properties").and_then(|properties| properties.get("metadata"));
        let restricted = own.and_then(|metadata| metadata.get("properties")).and_then(Value::as_object);
        let mut properties = Map::new();
        for (name, schema) in restricted.into_iter().flatten() {
            if schema.is_object() {
                let schema = self.within("metadata", |it| {
                    it.within(name, |it| it.convert_node(schema, NullTreatment::Replaced))
                });
                properties.insert(name.clone(), schema.into());
            }
        }
        if properties.is_empty() {
            return json!({ "type": "object" });
        }
        json!({ "type": "object", "properties": properties })
    }
}
