//! Costs of rules by their nodes, and the errors of rules that have none.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::cost::{Cost, CostError, RuleSite, review_schema};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

fn cost_of_rule(schema: &Value, path: &str, rule: &str) -> Result<Cost, CostError> {
    RuleSite::new(schema, path)?.rule_cost(rule)
}

#[test]
fn constant_calls_that_fail_refuse_the_rule() {
    let schema = json!({"type": "object", "properties": {"s": {"type": "string", "maxLength": 10}}});
    let refused = |rule: &str| match cost_of_rule(&schema, "", rule) {
        Err(CostError::Compile(text)) => text,
        other => panic!("{rule}: {other:?}"),
    };
    assert_eq!(
        refused("self.s.find('(') == ''"),
        "program instantiation failed: error parsing regexp: missing closing ): `(`"
    );
    assert_eq!(
        refused("int('x') == 1"),
        "program instantiation failed: type conversion error from 'string' to 'int'"
    );
}

#[test]
fn a_rule_needs_a_node_with_a_type() {
    let schema =
        json!({"type": "object", "properties": {"u": {"x-kubernetes-preserve-unknown-fields": true}}});
    assert_eq!(
        cost_of_rule(&schema, "properties[u]", "true"),
        Err(CostError::NoType("properties[u]".into()))
    );
    assert_eq!(
        cost_of_rule(&schema, "properties[v]", "true"),
        Err(CostError::NoSuchNode("properties[v]".into()))
    );
}

#[test]
fn the_cost_of_a_rule_is_that_of_all_its_evaluations() {
    let schema = json!({"type": "object", "properties": {"l": {"type": "array", "maxItems": 5, "items": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}});
    let site = RuleSite::new(&schema, "properties[l].items").unwrap();
    let cost = site.rule_cost("self.name.matches('a')").unwrap();
    assert_eq!((cost.expression, cost.cardinality.evaluations, cost.total), (314_575, 5, 1_572_875));
    assert!(cost.is_accepted() && cost.is_safe());
    assert_eq!(site.message_expression("'no ' + self.name").unwrap(), 314_575);
    let dear = site.rule_cost("self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')").unwrap();
    assert!(!dear.is_accepted());
}

/// Schemas of all sorts, most of them wrong.
fn any_schema() -> impl Strategy<Value = Value> {
    let words = ["object", "array", "string", "integer", "null", "self.a", "oldSelf", "map", "set", "a", "("];
    let scalar = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3i64..9).prop_map(Value::from),
        select(words.to_vec()).prop_map(Value::from),
    ];
    let keywords = [
        "type",
        "properties",
        "items",
        "additionalProperties",
        "anyOf",
        "allOf",
        "not",
        "a",
        "metadata",
        "default",
        "enum",
        "required",
        "maxItems",
        "maxLength",
        "pattern",
        "rule",
        "x-kubernetes-validations",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-int-or-string",
        "nullable",
    ];
    scalar.prop_recursive(4, 40, 5, move |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
        let members = proptest::collection::vec((select(keywords.to_vec()), inner), 0..5);
        let object = members.prop_map(|members| {
            Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        });
        prop_oneof![1 => list, 4 => object]
    })
}

proptest! {
    #[test]
    fn every_document_gets_an_answer(schema in any_schema(), has_status in any::<bool>()) {
        let report = review_schema(&schema, "spec.validation", has_status);
        let again = review_schema(&schema, "spec.validation", has_status);
        prop_assert_eq!(report, again);
    }
}
