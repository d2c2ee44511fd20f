//! The JSON Schema of the configuration.

use kvrules_emit::{Emitter, TargetOption};
use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::Config;

/// Returns the JSON Schema (draft 2020-12) of the configuration, in which `targets` may be configured.
///
/// It has no references, so that it can be walked next to a value.
///
/// ```
/// let schema = kvrules::config::config_schema(&[kvrules::find_emitter("openapi").unwrap()]);
/// let losses = schema.pointer("/properties/target/properties/openapi/properties/loss/enum").unwrap();
/// assert_eq!(losses, &serde_json::json!(["error", "warn", "allow"]));
/// assert!(schema.pointer("/properties/target/properties/markdown").is_none());
/// ```
pub fn config_schema(targets: &[&Emitter]) -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>();
    let names: Vec<_> = targets.iter().map(|target| target.name).collect();
    set_keyword(&mut schema, "/properties/targets", "items", json!({ "type": "string", "enum": names }));
    let any = schema.pointer("/properties/target/additionalProperties").cloned().unwrap_or_default();
    let each = targets.iter().map(|target| {
        let options = target.options.iter().map(|option| (option.name.to_owned(), of_option(option)));
        (target.name.to_owned(), of_target(&any, target.summary, options.collect()))
    });
    let each = each.collect::<Map<_, _>>().into();
    set_keyword(&mut schema, "/properties/target", "properties", each);
    set_keyword(&mut schema, "/properties/target", "additionalProperties", Value::Bool(false));
    schema
}

/// The schema of what concerns a target, from that of what concerns any.
fn of_target(any: &Value, summary: &str, properties: Map<String, Value>) -> Value {
    let mut schema = any.clone();
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), summary.into());
    }
    if let Some(Value::Object(options)) = schema.pointer_mut("/properties/options") {
        options.insert("properties".to_owned(), properties.into());
        options.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
}

fn of_option(option: &TargetOption) -> Value {
    let mut schema = json!({ "type": "string", "description": option.summary, "default": option.default });
    if let (Value::Object(schema), false) = (&mut schema, option.values.is_empty()) {
        schema.insert("enum".to_owned(), option.values.into());
    }
    schema
}

/// Sets `key` of the object at `pointer`.
fn set_keyword(schema: &mut Schema, pointer: &str, key: &str, value: Value) {
    if let Some(Value::Object(object)) = schema.pointer_mut(pointer) {
        object.insert(key.to_owned(), value);
    }
}
