//! The values of an object that violate a rule, with their locations.

use kvrules_generate::{PlaceStep, schema_at_place};
use serde_json::Value as Json;

use crate::meaning::EvaluatedValue;
use crate::rule_set::{AuthoredRule, RuleSet};
use crate::violations::evaluate_on;

/// A value for which a rule does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct FailingValue {
    /// The path to it, with the indexes of items, such as `spec.ports[1]`; empty for the object.
    pub location: String,
    /// The value.
    pub value: Json,
}

impl RuleSet {
    /// Returns the values at the place of a rule that violate it, in a creation of the object.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    /// use serde_json::json;
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
    ///     subject: {apiVersion: v1, kind: Service}\n  \
    ///     rules: [{name: ports, path: 'spec.ports[*].port', integer: {min: 1024}}]\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
    /// let object = json!({"spec": {"ports": [{"port": 8080}, {"port": 80}]}});
    /// let failing = set.find_failing_values(&set.rules[0], &object);
    /// assert_eq!((failing[0].location.as_str(), &failing[0].value), ("spec.ports[1].port", &json!(80)));
    /// ```
    pub fn find_failing_values(&self, rule: &AuthoredRule, object: &Json) -> Vec<FailingValue> {
        let around = usize::from(self.subject.is_of_documents());
        let place = rule.place.get(around..).unwrap_or_default();
        let Some(schema) = schema_at_place(&self.subject.schema, place) else { return Vec::new() };
        let object = self.read_object(object);
        let mut found = vec![(String::new(), &*object)];
        for step in place {
            found =
                found.into_iter().flat_map(|(location, value)| step_into(&location, value, step)).collect();
        }
        let cel = |text: &str, given: EvaluatedValue<'_>| {
            evaluate_on(&self.memory.parse(text)?.expression, given, schema)
        };
        let fails = |value: &Json| {
            let given = EvaluatedValue { value, stored: None, schema: Some(schema) };
            !rule.placed.holds_for(given, &cel)
        };
        let failing = found.into_iter().filter(|(_, value)| !value.is_null() && fails(value));
        failing.map(|(location, value)| FailingValue { location, value: value.clone() }).collect()
    }
}

impl AuthoredRule {
    /// Returns the message for a value that violates the rule: with the text of the value, if it shows one.
    pub fn message_for(&self, value: Option<&Json>) -> String {
        let shown = match value {
            Some(Json::String(text)) => text.clone(),
            Some(Json::Array(items)) => items.len().to_string(),
            Some(Json::Object(fields)) => fields.len().to_string(),
            Some(other) => other.to_string(),
            None => return self.message.clone(),
        };
        self.message.replace("<value>", &shown)
    }
}

fn step_into<'v>(location: &str, value: &'v Json, step: &PlaceStep) -> Vec<(String, &'v Json)> {
    let field = |name: &str| {
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'));
        match (is_plain, location.is_empty()) {
            (true, true) => name.to_owned(),
            (true, false) => format!("{location}.{name}"),
            (false, _) => format!("{location}[{}]", Json::from(name)),
        }
    };
    match (step, value) {
        (PlaceStep::Field(name), _) => {
            value.get(name).map(|found| (field(name), found)).into_iter().collect()
        }
        (PlaceStep::Any, Json::Array(items)) => {
            items.iter().enumerate().map(|(index, item)| (format!("{location}[{index}]"), item)).collect()
        }
        (PlaceStep::Any, Json::Object(fields)) => {
            fields.iter().map(|(name, item)| (field(name), item)).collect()
        }
        _ => Vec::new(),
    }
}
