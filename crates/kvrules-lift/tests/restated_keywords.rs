//! Rules that say the same as a keyword: the keyword is found, and the server answers alike.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use kvrules_apiserver::object::ObjectSchema;
use kvrules_lift::{
    DefinitionRule, RestatedKeyword, RuleValues, definition_rules, find_restated_keyword, lift_expression,
};
use serde_json::{Value as Json, json};

/// The schema of an object whose `spec` has fields of each type, and a rule.
fn schema_with(rule: &str) -> Json {
    json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "required": ["count"],
        "properties": {
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "name": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "raw": {"type": "string", "format": "byte"},
            "none": {"type": "integer", "nullable": true},
            "small": {"type": "integer", "maximum": 5},
            "inner": {"type": "object", "required": ["depth"], "properties": {"depth": {"type": "integer"}, "kind": {"type": "string"}}}
        },
        "x-kubernetes-validations": [{"rule": rule}]
    }}})
}

fn find_keyword(rule: &str) -> (DefinitionRule<'static>, RuleValues, Option<RestatedKeyword>) {
    let rule = definition_rules(&schema_with(rule)).remove(0);
    let (expression, checked) = rule.check_types().unwrap();
    let formulas = lift_expression(&expression, &checked, &[]).unwrap();
    let found = find_restated_keyword(&formulas.holds, &rule.schema);
    let values = RuleValues::new(&rule, &formulas);
    (rule, values, found)
}

/// The schema with the keyword and without the rule.
fn with_keyword(found: &RestatedKeyword) -> Json {
    let mut schema = schema_with("true");
    let mut node = schema.pointer_mut("/properties/spec").unwrap();
    node.as_object_mut().unwrap().remove("x-kubernetes-validations").unwrap();
    for name in &found.path {
        node = node.get_mut("properties").unwrap().get_mut(name).unwrap();
    }
    if found.keyword == "required" && node.get("required").is_some() {
        let more = found.value.as_array().unwrap().clone();
        node["required"].as_array_mut().unwrap().extend(more);
        return schema;
    }
    node[found.keyword] = found.value.clone();
    if found.is_exclusive {
        let exclusive = if found.keyword == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
        node[exclusive] = json!(true);
    }
    schema
}

/// The keyword in a line, after the server has evaluated values by it and by the rule.
fn restate(rule: &str) -> String {
    let (_, mut values, Some(found)) = find_keyword(rule) else { return "no keyword".to_owned() };
    let by_rule = ObjectSchema::new(&schema_with(rule)).without_metadata_checks();
    let by_keyword = ObjectSchema::new(&with_keyword(&found)).without_metadata_checks();
    let mut accepted_values = 0;
    for index in 0..400 {
        let object = json!({"metadata": {"name": "a"}, "spec": values.make_value(index)});
        let accepted = by_rule.admit_object(&object, None).is_accepted();
        assert_eq!(accepted, by_keyword.admit_object(&object, None).is_accepted(), "{rule}: {object}");
        accepted_values += usize::from(accepted);
    }
    assert!((5..396).contains(&accepted_values), "{rule}: {accepted_values} accepted");
    let place = found.path.join(".");
    let exclusive = if found.is_exclusive { ", exclusive" } else { "" };
    format!("{place} {}: {}{exclusive}", found.keyword, found.value)
}

#[test]
fn bounds_of_numbers_and_sizes_are_keywords() {
    assert_eq!(restate("self.count > 0"), "count minimum: 1");
    assert_eq!(restate("self.count <= 7"), "count maximum: 7");
    assert_eq!(restate("!has(self.share) || self.share < 0.5"), "share maximum: 0.5, exclusive");
    assert_eq!(restate("!has(self.share) || 2.0 <= self.share"), "share minimum: 2.0");
    assert_eq!(restate("!has(self.name) || self.name.size() < 8"), "name maxLength: 7");
    assert_eq!(restate("!has(self.name) || size(self.name) >= 1"), "name minLength: 1");
    assert_eq!(restate("!has(self.tags) || self.tags.size() > 2"), "tags minItems: 3");
    assert_eq!(restate("!has(self.labels) || self.labels.size() <= 2"), "labels maxProperties: 2");
    assert_eq!(restate("!has(self.inner) || self.inner.depth >= -3"), "inner.depth minimum: -3");
}

#[test]
fn texts_and_presence_are_keywords() {
    assert_eq!(restate("!has(self.name) || self.name.matches('^[a-z]+$')"), r#"name pattern: "^[a-z]+$""#);
    assert_eq!(restate("!has(self.name) || self.name in ['a', 'b']"), r#"name enum: ["a","b"]"#);
    assert_eq!(restate("!has(self.name) || self.name == 'a' || self.name == 'c'"), r#"name enum: ["a","c"]"#);
    assert_eq!(restate("self.count in [1, 3]"), "count enum: [1,3]");
    assert_eq!(restate("has(self.name)"), r#" required: ["name"]"#);
    assert_eq!(restate("!has(self.inner) || has(self.inner.kind)"), r#"inner required: ["kind"]"#);
    assert_eq!(restate("has(self.name) ? self.name.size() < 4 : true"), "name maxLength: 3");
}

#[test]
fn rules_that_say_more_than_a_keyword_have_none() {
    for rule in [
        // Without `has` the absent field ends the rule in an error.
        "self.name.size() < 8",
        "self.inner.depth > 1",
        "self.count > 0 && self.count < 9",
        "self.count != 4",
        "has(self.name) || has(self.tags)",
        "!has(self.name) || !has(self.tags)",
        "has(self.name) && self.name.size() < 8",
        // Sizes of bytes, a null, and a keyword that is written already.
        "!has(self.raw) || self.raw.size() < 8",
        "!has(self.none) || self.none > 1",
        "!has(self.small) || self.small < 3",
        "!has(self.name) || !self.name.matches('a')",
        "!has(self.name) || self.name.startsWith('a')",
        "!has(self.tags) || self.tags.all(it, it.size() > 1)",
    ] {
        assert_eq!(find_keyword(rule).2, None, "{rule}");
    }
}
