//! Objects that have a value at a place: a base with what leads to the place, as its schema requires it.

use kvrules_generate::{ObjectGenerator, PlaceStep, values_below};
use serde_json::{Map, Value, json};

/// Returns a base with a value at a place. Objects and items on the way are those of the base, or generated; attempts make other choices.
/// None if the schema has no such place.
pub(super) fn reach_place(
    base: &Value,
    schema: &Value,
    place: &[PlaceStep],
    value: &Value,
    attempt: usize,
) -> Option<Value> {
    let Some((step, rest)) = place.split_first() else { return Some(value.clone()) };
    let generated = || ObjectGenerator::new(schema).generate_valid(attempt);
    match step {
        PlaceStep::Field(name) => {
            let child = schema.get("properties")?.get(name)?;
            let mut fields = base.as_object().cloned().or_else(|| generated().as_object().cloned())?;
            let below = reach_place(fields.get(name).unwrap_or(&Value::Null), child, rest, value, attempt)?;
            fields.insert(name.clone(), below);
            Some(Value::Object(fields))
        }
        PlaceStep::Any => {
            let child = values_below(schema)?;
            if schema.get("type") != Some(&json!("array")) {
                let mut fields = base.as_object().cloned().unwrap_or_else(Map::new);
                let name = fields.keys().next().cloned().unwrap_or_else(|| "a".to_owned());
                let below = fields.get(&name).cloned().unwrap_or_default();
                fields.insert(name, reach_place(&below, child, rest, value, attempt)?);
                return Some(Value::Object(fields));
            }
            let mut items = base.as_array().cloned().or_else(|| generated().as_array().cloned())?;
            let first = items.first().cloned().unwrap_or_default();
            let item = reach_place(&first, child, rest, value, attempt)?;
            match items.first_mut() {
                Some(first) => *first = item,
                None => items.push(item),
            }
            Some(Value::Array(items))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_the_place_is_generated() {
        let item = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "enum": ["web"]}, "port": {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "size": {"type": "integer"}, "ports": {"type": "array", "items": item}}}}});
        let field = |name: &str| PlaceStep::Field(name.to_owned());
        let place = [field("spec"), field("ports"), PlaceStep::Any, field("port")];
        let reached = reach_place(&json!({"spec": {"size": 1}}), &schema, &place, &json!(80), 0);
        assert_eq!(reached, Some(json!({"spec": {"size": 1, "ports": [{"name": "web", "port": 80}]}})));
        let base = json!({"spec": {"ports": [{"name": "a"}, {"name": "b"}]}});
        let reached = reach_place(&base, &schema, &place, &json!(80), 0);
        assert_eq!(reached, Some(json!({"spec": {"ports": [{"name": "a", "port": 80}, {"name": "b"}]}})));
        assert_eq!(reach_place(&base, &schema, &[field("status")], &json!(1), 0), None);
    }
}
