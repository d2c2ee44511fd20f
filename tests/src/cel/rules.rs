//! The rules of a recorded definition, at every place of its objects.

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::eval::ExpressionShape;
use kvrules_cel::value::{Value as CelValue, from_schema};
use serde_json::Value;

use super::CelQuestion;

/// Gives each rule that the server takes with each value that it is about.
pub(super) fn each_rule(case: &Value, give: &mut dyn FnMut(&CelQuestion<'_>)) {
    if case["expect"]["accepted"] != true {
        return;
    }
    let schema = &case["crd"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let prepared = ObjectSchema::new(schema);
    for input in case["objects"].as_array().into_iter().flatten() {
        let object = prepared.admit_object(&input["object"], None).stored;
        let old = input.get("oldObject").map(|old| prepared.admit_object(old, None).stored);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = format!("{} {}", text(&case["id"]), text(&input["name"]));
        let mut walk = RuleWalk { id, give };
        walk.node(schema, &object, old.as_ref(), "");
    }
}

struct RuleWalk<'w> {
    id: String,
    give: &'w mut dyn FnMut(&CelQuestion<'_>),
}

impl RuleWalk<'_> {
    fn node(&mut self, schema: &Value, value: &Value, old: Option<&Value>, path: &str) {
        // The root has fields beyond its schema, which values from the schema alone do not show.
        if !value.is_null() && !path.is_empty() {
            self.rules(schema, value, old, path);
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let property = schema["properties"].get(name);
                    let child = property.or(schema.get("additionalProperties").filter(|it| it.is_object()));
                    let Some(child) = child else { continue };
                    let old = old.and_then(|old| old.get(name));
                    self.node(child, value, old, &format!("{path}.{name}"));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.node(&schema["items"], item, None, &format!("{path}[{index}]"));
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, schema: &Value, value: &Value, old: Option<&Value>, path: &str) {
        for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
            let Some(expression) = rule["rule"].as_str() else { continue };
            let mut variables = vec![("self", from_schema(value, schema), ExpressionShape::Schema(schema))];
            if expression.contains("oldSelf") {
                let Some(old) = old.filter(|old| !old.is_null()) else { continue };
                let old = from_schema(old, schema);
                let is_optional = rule["optionalOldSelf"] == true;
                let old = if is_optional { CelValue::Optional(Some(old.into())) } else { old };
                variables.push(("oldSelf", old, ExpressionShape::Schema(schema)));
            }
            (self.give)(&CelQuestion { id: format!("{} {path}", self.id), expression, variables });
        }
    }
}
