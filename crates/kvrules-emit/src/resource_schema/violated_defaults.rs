//! Defaults that violate a rule: a server rejects an object in which the field is absent, as if it were required.
//!
//! Servers do not accept such a definition. The rules of a RuleSet are not part of the definition that has the defaults.

use kvrules_apiserver::object::ObjectSchema;
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Value, json};

use super::{Converter, NullTreatment, has_default};

impl Converter {
    /// True if the default of a field, with the defaults inside of it, violates a rule of the field or of a value below it.
    pub(super) fn default_is_rejected(&self, name: &str, property: &Value) -> bool {
        // Rules of policies stand at the object, where a formula knows of defaults.
        if self.policy_only.is_some() || !has_default(property) || !has_rules(property) {
            return false;
        }
        let around = json!({"type": "object", "properties": {name: property}});
        !ObjectSchema::new(&around).without_metadata_checks().admit_value(json!({})).errors.is_empty()
    }

    /// The treatment of a null in an item or in a value of a map: a default in its place may be rejected.
    pub(super) fn null_treatment(&self, values: &Value, otherwise: NullTreatment) -> NullTreatment {
        let is_rejected = self.makes_schema && self.default_is_rejected("value", values);
        if is_rejected { NullTreatment::DroppedRequired } else { otherwise }
    }
}

/// True if a schema has rules, at the value or below.
fn has_rules(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            keywords.iter().any(|(keyword, below)| keyword == VALIDATIONS || has_rules(below))
        }
        Value::Array(several) => several.iter().any(has_rules),
        _ => false,
    }
}
