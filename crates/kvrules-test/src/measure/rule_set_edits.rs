//! Edits of objects that matter to the rules of a RuleSet: at their paths, values that their words name, and others nearby.

use kvrules_generate::{ObjectGenerator, PlaceStep, text_matching, values_below};
use kvrules_rule_set::RuleSet;
use serde_json::{Map, Value, json};

use crate::document::text_field;
use crate::subject::rules_of;

/// A value for the field at a place; none removes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ObjectEdit {
    place: Vec<PlaceStep>,
    value: Option<Value>,
}

/// Texts in the formats that words know, and in none.
const TEXTS: [&str; 7] = ["a", "A b!", "1Gi", "10.0.0.1", "10.0.0.0/8", "a.b", ""];
/// Number of values that are generated for a field.
const GENERATED: usize = 3;

/// Returns the edits for a rule as it is written.
pub(super) fn list_edits(set: &RuleSet, written: &Value) -> Vec<ObjectEdit> {
    let (mut strings, mut constants) = (Vec::new(), Vec::new());
    collect_scalars(written, &mut strings, &mut constants);
    let scope = text_field(written, "each");
    let mut fields: Vec<(Vec<PlaceStep>, &Value)> = Vec::new();
    for text in &strings {
        match set.find_field(scope, text).filter(|_| !text.is_empty()) {
            Some(field) if !fields.contains(&field) => fields.push(field),
            Some(_) => {}
            None => {
                constants.push(Value::from(text.as_str()));
                constants.extend(text_matching(text).map(Value::from));
            }
        }
    }
    if !scope.is_empty() {
        fields.extend(set.find_field("", scope));
    }
    let mut edits = Vec::new();
    for (place, schema) in fields {
        let values = values_for(schema, &constants);
        edits.extend(values.into_iter().map(|value| ObjectEdit { place: place.clone(), value: Some(value) }));
        edits.push(ObjectEdit { place, value: None });
    }
    edits
}

/// Returns the edits for the rules with these names.
pub(super) fn list_edits_of(set: &RuleSet, document: &Value, names: &[&str]) -> Vec<ObjectEdit> {
    let rules = rules_of(document).filter(|rule| names.contains(&text_field(rule, "name")));
    rules.flat_map(|rule| list_edits(set, rule)).collect()
}

/// Collects the strings, with keys, and the other scalars within a value.
fn collect_scalars(value: &Value, strings: &mut Vec<String>, others: &mut Vec<Value>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_scalars(item, strings, others)),
        Value::Object(fields) => {
            for (name, below) in
                fields.iter().filter(|(name, _)| !["name", "message"].contains(&name.as_str()))
            {
                strings.push(name.clone());
                collect_scalars(below, strings, others);
            }
        }
        Value::Number(number) => {
            others.push(value.clone());
            let nearby = number.as_i64().into_iter().flat_map(|it| [it.checked_add(1), it.checked_sub(1)]);
            others.extend(nearby.flatten().map(Value::from));
        }
        other => others.push(other.clone()),
    }
}

/// Values of the schema's type.
fn values_for(schema: &Value, constants: &[Value]) -> Vec<Value> {
    let kind = text_field(schema, "type");
    let mut values: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    let fits = |value: &&Value| match kind {
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        _ => false,
    };
    constants.iter().filter(fits).cloned().for_each(&mut add);
    let mut generator = ObjectGenerator::new(schema);
    (0..GENERATED).map(|index| generator.generate_valid(index)).for_each(&mut add);
    let sizes = constants.iter().filter_map(Value::as_u64).filter(|size| *size <= 128);
    let sizes: Vec<usize> = sizes.filter_map(|size| usize::try_from(size).ok()).collect();
    match kind {
        "string" => {
            TEXTS.iter().map(|text| Value::from(*text)).for_each(&mut add);
            sizes.iter().map(|size| Value::from("a".repeat(*size))).for_each(&mut add);
        }
        "boolean" => [true, false].map(Value::from).into_iter().for_each(&mut add),
        "array" => {
            let items = items_of(schema);
            let repeated: Vec<Value> =
                items.first().into_iter().flat_map(|item| [item.clone(), item.clone()]).collect();
            add(json!([]));
            add(repeated.into());
            let of_size = |size: &usize| items.iter().cycle().take(*size).cloned().collect::<Vec<Value>>();
            sizes.iter().map(|size| Value::from(of_size(size))).for_each(&mut add);
        }
        "object" => add(json!({})),
        _ => {}
    }
    values
}

fn items_of(schema: &Value) -> Vec<Value> {
    let Some(below) = values_below(schema) else { return Vec::new() };
    let mut generator = ObjectGenerator::new(below);
    (0..GENERATED).map(|index| generator.generate_valid(index)).collect()
}

impl ObjectEdit {
    /// Returns an object with the edit; objects and items on the way are made.
    pub(super) fn apply(&self, object: &Value) -> Value {
        let mut edited = object.clone();
        edit_at(&mut edited, &self.place, self.value.as_ref());
        edited
    }
}

fn edit_at(value: &mut Value, place: &[PlaceStep], new: Option<&Value>) {
    let Some((step, rest)) = place.split_first() else {
        if let Some(new) = new {
            value.clone_from(new);
        }
        return;
    };
    match step {
        PlaceStep::Field(name) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            let Some(fields) = value.as_object_mut() else { return };
            if rest.is_empty() && new.is_none() {
                fields.shift_remove(name);
                return;
            }
            edit_at(fields.entry(name.clone()).or_insert(Value::Null), rest, new);
        }
        PlaceStep::Any => match value {
            Value::Array(items) if rest.is_empty() && new.is_none() => _ = items.pop(),
            Value::Array(items) if !items.is_empty() => {
                // Every item, so that what one of them has does not hide the edit.
                for item in items {
                    edit_at(item, rest, new);
                }
            }
            Value::Object(fields) if !fields.is_empty() => {
                for below in fields.values_mut() {
                    edit_at(below, rest, new);
                }
            }
            _ => {
                let mut item = Value::Null;
                edit_at(&mut item, rest, new);
                *value = Value::Array(vec![if item.is_null() { json!({}) } else { item }]);
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_a_place_is_made() {
        let place = |steps: &[&str]| {
            steps
                .iter()
                .map(|step| if *step == "*" { PlaceStep::Any } else { PlaceStep::Field((*step).to_owned()) })
                .collect::<Vec<_>>()
        };
        let edit = ObjectEdit { place: place(&["spec", "ports", "*", "name"]), value: Some("a".into()) };
        assert_eq!(edit.apply(&json!({})), json!({"spec": {"ports": [{"name": "a"}]}}));
        let removal = ObjectEdit { place: place(&["spec", "ports"]), value: None };
        assert_eq!(removal.apply(&json!({"spec": {"ports": [1], "a": 2}})), json!({"spec": {"a": 2}}));
    }
}
