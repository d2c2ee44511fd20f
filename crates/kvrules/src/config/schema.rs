//! The JSON Schema of the configuration.

use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::Config;

/// The JSON Schema (draft 2020-12) of the configuration, where `targets` are the names of targets that there are.
///
/// It has no references, so that it can be walked beside a value.
pub fn schema(targets: &[&str]) -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>();
    let names = json!({ "enum": targets });
    put(&mut schema, "/properties/targets", "items", names.clone());
    put(&mut schema, "/properties/target", "propertyNames", names);
    schema
}

/// Sets `key` of the object at `pointer`.
fn put(schema: &mut Schema, pointer: &str, key: &str, value: Value) {
    if let Some(Value::Object(object)) = schema.pointer_mut(pointer) {
        let text = json!({ "type": "string" });
        let mut value = value;
        if let (Value::Object(value), Value::Object(text)) = (&mut value, text) {
            value.extend(text);
        }
        object.insert(key.to_owned(), value);
    }
}
