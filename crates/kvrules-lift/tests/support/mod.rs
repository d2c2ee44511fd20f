//! Rules of an object, lifted.

use kvrules_apiserver::crd::RuleSource;
use kvrules_ir::Formula;
use kvrules_lift::{DefinitionRule, lift_rule};
use serde_json::{Value, json};

/// A rule of an object with a schema.
pub(crate) fn rule(text: &str, schema: &Value) -> DefinitionRule<'static> {
    let source = RuleSource::from_json(&json!({ "rule": text }));
    DefinitionRule {
        place: Vec::new(),
        schema: schema.clone().into(),
        index: 0,
        source,
        constant_fields: Vec::new(),
    }
}

/// The formula that holds if a rule does.
pub(crate) fn holds(text: &str, schema: &Value) -> Formula {
    lift_rule(&rule(text, schema), 60).unwrap().formulas.holds
}

/// An object with fields of many types.
pub(crate) fn schema() -> Value {
    let item = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}});
    json!({"type": "object", "properties": {
        "n": {"type": "integer"},
        "m": {"type": "integer", "minimum": 2},
        "text": {"type": "string", "maxLength": 9},
        "word": {"type": "string", "pattern": "^[a-z]+$"},
        "list": {"type": "array", "maxItems": 4, "items": item},
        "words": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    }})
}
