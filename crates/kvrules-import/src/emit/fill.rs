//! The keywords that a node of the spine and a branch have in common: listed values, lengths, and what depends on fields.

use kvrules_diagnostics::Exactness;
use serde_json::{Value, json};

use super::{Keywords, ShapeEmitter, set_keyword};
use crate::shape::{SchemaShape, ValueKinds};

impl ShapeEmitter {
    /// `enum`.
    pub(super) fn values(&mut self, shape: &SchemaShape, spine: &SchemaShape, out: &mut Keywords) {
        let Some(values) = &shape.values else { return };
        let kinds = shape.kinds.and(spine.kinds);
        let kept: Vec<Value> =
            values.iter().filter(|value| kinds.present().meets(ValueKinds::of(value))).cloned().collect();
        let has_whole = kept.iter().any(|value| ValueKinds::of(value) == ValueKinds::INTEGER);
        if has_whole && kinds.meets(ValueKinds::FRACTION) {
            let message = "the server cuts fractions off before it compares with a listed integer";
            self.lose(Exactness::Wider, shape, "enum", message);
        }
        let is_letter = |value: &Value| value.as_str().is_some_and(|text| text.chars().count() == 1);
        if kept.iter().any(is_letter) && kinds.meets(ValueKinds::NUMBER) {
            let message = "the server takes the code of a listed letter for the letter";
            self.lose(Exactness::Wider, shape, "enum", message);
        }
        if kept.iter().any(|value| !value.is_number() && holds_integer(value)) {
            let message = "the server does not accept `1.0` for a listed `1` within a list or an object";
            self.lose(Exactness::Narrower, shape, "enum", message);
        }
        if kept.iter().any(is_beyond_floats) && kinds.meets(ValueKinds::INTEGER) {
            let message = "the server does not accept a listed integer from 2^53 on if it is written with a fraction of zero";
            self.lose(Exactness::Narrower, shape, "enum", message);
        }
        set_keyword(out, "enum", kept);
    }
}

/// True if there is an integer in a value, however deep.
fn holds_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|float| float.fract() == 0.0),
        Value::Array(items) => items.iter().any(holds_integer),
        Value::Object(fields) => fields.values().any(holds_integer),
        _ => false,
    }
}

/// True for an integer so large that one float represents several.
fn is_beyond_floats(value: &Value) -> bool {
    value.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() >= 2f64.powi(53))
}

/// Lengths, patterns and formats of strings.
pub(super) fn fill_strings(shape: &SchemaShape, out: &mut Keywords) {
    let texts = &shape.texts;
    if let Some(min) = texts.min.filter(|min| *min > 0) {
        set_keyword(out, "minLength", min);
    }
    if let Some(max) = texts.max {
        set_keyword(out, "maxLength", max);
    }
    // An empty pattern is no constraint.
    if let Some(pattern) = texts.patterns.first().filter(|pattern| !pattern.is_empty()) {
        set_keyword(out, "pattern", pattern.as_str());
    }
    if let Some(format) = texts.formats.first() {
        set_keyword(out, "format", format.as_str());
    }
}

/// Sizes of lists and objects, and required fields.
pub(super) fn fill_sizes(shape: &SchemaShape, kinds: ValueKinds, out: &mut Keywords) {
    let (list, object) = (&shape.list, &shape.object);
    let bounds = [
        (ValueKinds::ARRAY, "minItems", list.min.filter(|min| *min > 0)),
        (ValueKinds::ARRAY, "maxItems", list.max),
        (ValueKinds::OBJECT, "minProperties", object.min.filter(|min| *min > 0)),
        (ValueKinds::OBJECT, "maxProperties", object.max),
    ];
    for (kind, keyword, bound) in bounds {
        if let Some(bound) = bound.filter(|_| kinds.meets(kind)) {
            set_keyword(out, keyword, bound);
        }
    }
}

/// Fields that other fields require, without a rule.
pub(super) fn fill_dependents(dependents: &[(String, Vec<String>)], out: &mut Keywords) {
    for (name, others) in dependents.iter().filter(|(_, others)| !others.is_empty()) {
        let branch = json!({"anyOf": [{"not": {"required": [name]}}, {"required": others}]});
        super::sides::add_conjunct(out, branch);
    }
}
