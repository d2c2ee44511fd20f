//! Rules about texts and sizes that the schema decides, and the server's answers to them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use kvrules_apiserver::object::ObjectSchema;
use kvrules_lift::{RuleValues, definition_rules, examine_rule, lift_expression};
use serde_json::{Value as Json, json};

/// The schema of an object with restricted fields, and a rule.
fn schema_with(rule: Option<&str>) -> Json {
    let rules = rule.map(|rule| json!([{"rule": rule}]));
    json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "required": ["name", "kind", "tags", "count"],
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 6},
            "kind": {"type": "string", "enum": ["Alpha", "Beta"]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 4},
            "count": {"type": "integer", "minimum": 2, "maximum": 9},
            "maybe": {"type": "string", "nullable": true, "enum": ["a", "b"]},
            "raw": {"type": "string", "format": "byte", "maxLength": 8}
        },
        "x-kubernetes-validations": rules.unwrap_or_else(|| json!([]))
    }}})
}

/// `always`, `never` or `open`, after the server has confirmed it on values.
fn sense(text: &str) -> &'static str {
    let rule = definition_rules(&schema_with(Some(text))).remove(0);
    let (expression, checked) = rule.check_types().unwrap();
    let formulas = lift_expression(&expression, &checked, &[]).unwrap();
    let sense = examine_rule(&rule, &formulas);
    let mut values = RuleValues::new(&rule, &formulas);
    let with_rule = ObjectSchema::new(&schema_with(Some(text))).without_metadata_checks();
    let without = ObjectSchema::new(&schema_with(None)).without_metadata_checks();
    let mut counts = [0, 0];
    for index in 0..300 {
        let object = json!({"metadata": {"name": "a"}, "spec": values.make_value(index)});
        // An integer that is written with a point ends rules in errors.
        let is_written_with_point = object.pointer("/spec/count").is_some_and(Json::is_f64);
        if !is_written_with_point && without.admit_object(&object, None).is_accepted() {
            let passes = with_rule.admit_object(&object, None).is_accepted();
            *counts.get_mut(usize::from(passes)).unwrap() += 1;
            assert!(passes || !sense.is_always_true, "{text}: {object}");
            assert!(!passes || !sense.is_never_true, "{text}: {object}");
        }
    }
    assert!(counts.iter().sum::<i32>() > 20, "{text}: {counts:?}");
    match (sense.is_always_true, sense.is_never_true) {
        (true, _) => "always",
        (_, true) => "never",
        _ => "open",
    }
}

#[test]
fn patterns_and_lengths_decide_rules_about_texts() {
    for rule in [
        "self.name.matches('^[a-z]')",
        "self.name.matches('^[a-zA-Z]+$')",
        "!self.name.contains('-')",
        "self.name.size() <= 6",
        "size(self.name) > 1",
        "self.name != 'Upper'",
        "self.name != 'a'",
        "!self.name.startsWith('A')",
        "self.kind.matches('^(Alpha|Beta|Gamma)$')",
        "self.kind.endsWith('a')",
        "!(self.name.startsWith('ab') && self.name.endsWith('Z'))",
        "!self.name.matches('^abcdef.') || self.count > 3",
        "!(self.name.startsWith('ab') && self.name == 'cd')",
        "!self.name.matches('^.{7}') && self.name.matches('^..')",
    ] {
        assert_eq!(sense(rule), "always", "{rule}");
    }
    for rule in [
        "self.name.matches('^[A-Z]')",
        "self.name == 'Upper'",
        "self.name.startsWith('abcdefg')",
        "self.kind.matches('^Gamma$')",
        "self.kind.startsWith('B') && self.kind == 'Alpha'",
        "self.name.matches('^a') && self.name.matches('^b')",
        "self.name.size() > 6",
    ] {
        assert_eq!(sense(rule), "never", "{rule}");
    }
}

#[test]
fn sizes_and_ranges_decide_rules_about_numbers() {
    for rule in [
        "self.tags.size() >= 1",
        "self.tags.size() < 5",
        "self.count >= 2",
        "!(self.count > 4 && self.count < 5)",
    ] {
        assert_eq!(sense(rule), "always", "{rule}");
    }
    for rule in ["self.tags.size() == 0", "self.tags.size() > 4", "self.count > 3 && self.count < 4"] {
        assert_eq!(sense(rule), "never", "{rule}");
    }
}

#[test]
fn what_the_schema_leaves_open_stays_open() {
    for rule in [
        "self.name.matches('^[a-m]+$')",
        "self.name.size() < 6",
        "self.kind.matches('A')",
        "self.name != 'ab'",
        "self.name.startsWith('ab') && self.name.endsWith('yz')",
        "!has(self.maybe) || self.maybe.matches('^[ab]$') && self.count > 4",
        "!has(self.raw) || self.raw.size() <= 5",
        "self.tags.size() < 4",
        "self.tags.filter(it, it != 'a').size() == 0",
        "size(self.tags.map(it, it)) == 2",
        "self.tags.filter(it, it.size() > 1).exists(it, it.size() > 2)",
        "!self.tags.filter(it, it.size() > 1).all(it, it.size() > 2)",
    ] {
        assert_eq!(sense(rule), "open", "{rule}");
    }
}

#[test]
fn what_no_update_changes_decides_rules_about_updates() {
    let is_always_true = |rules_of_items: &str, rules_of_key: &str| {
        let rules = |rule: &str| if rule.is_empty() { json!([]) } else { json!([{"rule": rule}]) };
        let schema = json!({"type": "object", "properties": {"items": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object", "required": ["name", "size"], "x-kubernetes-validations": rules(rules_of_items),
                "properties": {
                    "name": {"type": "string", "x-kubernetes-validations": rules(rules_of_key)},
                    "size": {"type": "integer"}
                }
            }
        }}});
        let rule = definition_rules(&schema).remove(0);
        let (expression, checked) = rule.check_types().unwrap();
        examine_rule(&rule, &lift_expression(&expression, &checked, &[]).unwrap()).is_always_true
    };
    assert!(is_always_true("", "self == oldSelf"));
    assert!(is_always_true("self.name == oldSelf.name", ""));
    assert!(!is_always_true("self.size == oldSelf.size", ""));
    assert!(!is_always_true("self.size >= oldSelf.size || self.name != oldSelf.name", ""));
}
