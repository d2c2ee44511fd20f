//! Objects and maps.

use kvrules_apiserver::definition::map_keyword;
use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value, json};

use super::{Converter, NullTreatment, OptionalNulls, UnknownFields, field_node, has_default, is_true};

impl Converter {
    pub(super) fn add_object_keywords(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let mut required = required_names(node);
        required.extend(self.rejected_defaults(node));
        self.add_properties(node, &required, made);
        self.add_further_fields(node, made);
        self.add_property_counts(node, node, made);
        let mut names = required;
        if is_true(node, EMBEDDED_RESOURCE) {
            self.add_embedded_resource(node, &mut names, made);
        }
        if !names.is_empty() {
            made.insert("required".to_owned(), names.into());
        }
    }

    /// The fields that are required because their default violates a rule.
    fn rejected_defaults(&self, node: &Map<String, Value>) -> Vec<String> {
        let fields = map_keyword(node, "properties").and_then(Value::as_object).into_iter().flatten();
        let rejected =
            fields.filter(|(name, property)| self.makes_schema && self.default_is_rejected(name, property));
        rejected.map(|(name, _)| name.clone()).collect()
    }

    fn add_properties(
        &mut self,
        node: &Map<String, Value>,
        required: &[String],
        made: &mut Map<String, Value>,
    ) {
        let mut properties = Map::new();
        for (name, property) in
            map_keyword(node, "properties").and_then(Value::as_object).into_iter().flatten()
        {
            if !property.is_object() {
                continue;
            }
            let null = if required.contains(name) {
                NullTreatment::DroppedRequired
            } else {
                NullTreatment::Replaced
            };
            let converted = self.within(name, |converter| converter.convert_node(property, null));
            if self.makes_schema {
                properties.insert(name.clone(), converted.into());
            }
        }
        // A required key of a map, which the server drops if it is null.
        let own = map_keyword(node, "properties");
        let is_own = |name: &String| own.and_then(|own| own.get(name)).is_some_and(Value::is_object);
        for name in required.iter().filter(|name| !is_own(name)) {
            if let Some(value) = field_node(node, name) {
                let value = self.within(name, |it| it.convert_node(value, NullTreatment::DroppedRequired));
                properties.insert(name.clone(), value.into());
            }
        }
        if !properties.is_empty() {
            made.insert("properties".to_owned(), properties.into());
        }
    }

    fn add_further_fields(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        let keeps = is_true(node, PRESERVE_UNKNOWN_FIELDS);
        match map_keyword(node, "additionalProperties") {
            Some(values @ Value::Object(_)) => {
                let null = self.null_treatment(values, NullTreatment::Replaced);
                let convert = |it: &mut Self| it.convert_node(values, null);
                let values = self.within("[*]", convert);
                made.insert("additionalProperties".to_owned(), values.into());
            }
            Some(further @ Value::Bool(_)) => {
                made.insert("additionalProperties".to_owned(), further.clone());
            }
            _ => {
                let is_object = map_keyword(node, "type").and_then(Value::as_str) == Some("object");
                if is_object && !keeps && self.options.unknown_fields == UnknownFields::Reject {
                    made.insert("additionalProperties".to_owned(), false.into());
                }
            }
        }
    }

    /// Adds the bounds for the number of fields. The server counts them when it has dropped nulls and unknown fields, and filled in
    /// defaults. `around` is the schema that describes the object; in a branch it is not the `node`.
    pub(super) fn add_property_counts(
        &mut self,
        node: &Map<String, Value>,
        around: &Map<String, Value>,
        made: &mut Map<String, Value>,
    ) {
        let (least, most) =
            (map_keyword(node, "minProperties").and_then(Value::as_u64), map_keyword(node, "maxProperties"));
        let properties = map_keyword(around, "properties").and_then(Value::as_object).into_iter().flatten();
        let filled = properties.filter(|(_, it)| has_default(it)).count();
        let keeps = is_true(around, PRESERVE_UNKNOWN_FIELDS);
        let drops_unknown = !around.contains_key("additionalProperties") && !keeps;
        let drops_fields = drops_unknown && self.options.unknown_fields == UnknownFields::Accept;
        let is_exact = filled == 0 && !drops_fields && self.options.nulls == OptionalNulls::Reject;
        if is_exact || self.is_inverted {
            for (keyword, bound) in
                [("minProperties", least.map(Value::from)), ("maxProperties", most.cloned())]
            {
                let Some(bound) = bound else { continue };
                made.insert(keyword.to_owned(), bound);
                if !is_exact {
                    self.note_loss(keyword, Exactness::Incomparable, COUNTED);
                }
            }
            return;
        }
        if let Some(least) = least.map(|least| least.saturating_sub(filled as u64)).filter(|least| *least > 0)
        {
            made.insert("minProperties".to_owned(), least.into());
            self.note_loss("minProperties", Exactness::Wider, COUNTED);
        }
        let known = map_keyword(around, "properties").and_then(Value::as_object).map_or(0, Map::len);
        // Objects without unknown fields cannot have more fields than there are.
        let Some(most) = most.filter(|most| !drops_unknown || most.as_u64() < Some(known as u64)) else {
            return;
        };
        self.note_loss("maxProperties", Exactness::Wider, COUNTED);
        let is_unaltered = self.without_dropped_fields(around);
        add_conjunct(made, json!({ "anyOf": [{ "maxProperties": most }, { "not": is_unaltered }] }));
    }

    /// The schema of objects of which the server drops no field.
    fn without_dropped_fields(&self, node: &Map<String, Value>) -> Value {
        let kept = match self.options.nulls {
            OptionalNulls::Accept => json!({ "not": { "type": "null" } }),
            OptionalNulls::Reject => json!({}),
        };
        let keeps_unknown = node.contains_key("additionalProperties")
            || is_true(node, PRESERVE_UNKNOWN_FIELDS)
            || self.options.unknown_fields == UnknownFields::Reject;
        if keeps_unknown {
            return json!({ "additionalProperties": kept });
        }
        let names = map_keyword(node, "properties").and_then(Value::as_object).into_iter().flatten();
        let names: Map<String, Value> = names.map(|(name, _)| (name.clone(), kept.clone())).collect();
        json!({ "properties": names, "additionalProperties": false })
    }

    // apiextensions schema/objectmeta/validation.go, validateEmbeddedResource
    fn add_embedded_resource(
        &mut self,
        node: &Map<String, Value>,
        names: &mut Vec<String>,
        made: &mut Map<String, Value>,
    ) {
        let own = |name: &str| {
            map_keyword(node, "properties").is_some_and(|properties| properties.get(name).is_some())
        };
        let mut added = Map::new();
        for name in ["apiVersion", "kind"] {
            if !own(name) {
                added.insert(name.to_owned(), json!({ "type": "string", "minLength": 1 }));
            }
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if !own("metadata") {
            added.insert("metadata".to_owned(), json!({ "type": ["object", "null"] }));
        }
        let properties = made.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.extend(added);
        }
        let cause = "the schema does not check the names and the metadata of the resource";
        self.note_loss(EMBEDDED_RESOURCE, Exactness::Wider, cause);
    }
}

const COUNTED: &str =
    "servers count fields without nulls and unknown ones, and with defaults, which a schema cannot";

/// Adds a schema that the value must satisfy as well.
pub(super) fn add_conjunct(made: &mut Map<String, Value>, schema: Value) {
    match made.get_mut("allOf") {
        Some(Value::Array(parts)) => parts.push(schema),
        _ => {
            made.insert("allOf".to_owned(), json!([schema]));
        }
    }
}

/// The required fields that have no default, which would be filled in.
fn required_names(node: &Map<String, Value>) -> Vec<String> {
    let names = map_keyword(node, "required").and_then(Value::as_array).into_iter().flatten();
    let is_filled = |name: &str| {
        let property = map_keyword(node, "properties").and_then(|properties| properties.get(name));
        property.is_some_and(has_default)
    };
    let mut wanted = Vec::new();
    for name in names.filter_map(Value::as_str).filter(|name| !is_filled(name)) {
        if !wanted.iter().any(|known| known == name) {
            wanted.push(name.to_owned());
        }
    }
    wanted
}
