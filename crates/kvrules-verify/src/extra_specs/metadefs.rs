//! Glance's metadata definitions as a dashboard uses them: a form with a field for each property, of the property's type.

use std::collections::{BTreeSet, HashMap};

use jsonschema::Validator;
use kvrules_extra_specs::glance::FLAVOR;
use kvrules_extra_specs::{Definition, DefinitionRegistry};
use serde_json::{Map, Value, json};

use super::PairEvaluator;
use crate::claims::ObjectVerdict;
use crate::run::{RunError, json_schema};

pub(super) struct MetadefEvaluator {
    /// The fields, by the keys that they set in a flavor.
    fields: HashMap<String, Field>,
    /// The definitions that have a field.
    actual: BTreeSet<String>,
}

struct Field {
    r#type: String,
    validator: Validator,
}

/// Members of a property that limit its values.
const LIMITS: [&str; 5] = ["type", "enum", "pattern", "minimum", "maximum"];

impl MetadefEvaluator {
    pub(super) fn new(documents: &[Value], registry: &DefinitionRegistry) -> Result<Self, RunError> {
        let mut found = Self { fields: HashMap::new(), actual: BTreeSet::new() };
        for document in documents {
            let prefix = flavor_prefix(document)?;
            let properties = document.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                let key = format!("{prefix}{name}");
                found
                    .actual
                    .extend(registry.find_definition(&key).map(|found| found.definition.name.clone()));
                found.fields.insert(key, Field::new(property)?);
            }
        }
        Ok(found)
    }
}

/// Returns the prefix of each property in a flavor.
fn flavor_prefix(document: &Value) -> Result<&str, RunError> {
    let associations = document.get("resource_type_associations").and_then(Value::as_array);
    let of_flavor = |one: &&Value| one.get("name").and_then(Value::as_str) == Some(FLAVOR);
    let flavor = associations.into_iter().flatten().find(of_flavor);
    let flavor = flavor.ok_or_else(|| RunError("a namespace does not apply to flavors".to_owned()))?;
    Ok(flavor.get("prefix").and_then(Value::as_str).unwrap_or_default())
}

impl Field {
    fn new(property: &Value) -> Result<Self, RunError> {
        let limit = |name: &str| Some((name.to_owned(), property.get(name)?.clone()));
        let schema: Map<String, Value> = LIMITS.into_iter().filter_map(limit).collect();
        let r#type = property.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { r#type, validator: json_schema(&schema.into())? })
    }

    /// A text as somebody enters it: a number where it is one, a mark in a box, or the text.
    fn entered(&self, text: &str) -> Value {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match (self.r#type.as_str(), text) {
            ("integer", _) if is_number => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
            ("boolean", "true" | "false") => json!(text == "true"),
            _ => json!(text),
        }
    }
}

impl PairEvaluator for MetadefEvaluator {
    /// A definition without any field is not said. Of one that has a field, a key without can not be set.
    fn evaluate_value(&self, definition: &Definition, key: &str, value: &str) -> ObjectVerdict {
        let takes = match self.fields.get(key) {
            Some(field) => field.validator.is_valid(&field.entered(value)),
            None => !self.actual.contains(&definition.name),
        };
        ObjectVerdict { rejects: !takes, warns: false }
    }
}
