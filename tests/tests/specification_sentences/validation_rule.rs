//! Sentences and examples of the reference of ValidationRule.

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::definition::review_definition;
use kvrules_apiserver::object::ObjectSchema;
use serde_json::{Value, json};

/// A schema of an object with a field and rules at its node.
fn with_rules(mut field: Value, rules: Value) -> Value {
    field["x-kubernetes-validations"] = rules;
    json!({"type": "object", "properties": {"f": field}})
}

fn errors(schema: &Value, object: Value, old: Option<Value>) -> Vec<String> {
    let server = ObjectSchema::new(schema).without_metadata_checks();
    server.admit_object(&object, old.as_ref()).errors.iter().map(Failure::to_message).collect()
}

/// True if a rule at a field is satisfied by a value.
fn holds(field: Value, rule: &str, value: Value) -> bool {
    let schema = with_rules(field, json!([{"rule": rule}]));
    assert!(is_accepted(&schema), "{rule}");
    errors(&schema, json!({"f": value}), None).is_empty()
}

/// True if a server accepts a definition with a schema.
fn is_accepted(schema: &Value) -> bool {
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "noxus.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"plural": "noxus", "singular": "noxu", "kind": "Noxu", "listKind": "NoxuList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    review_definition(&definition, None).is_accepted()
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[test]
fn a_message_expression_is_used_unless_it_is_unusable() {
    let integer = || json!({"type": "integer"});
    let cases = [
        ("'too small: ' + string(self)", "too small: 1"),
        ("''", "the other"),
        ("'  '", "the other"),
        ("'a\\nb'", "the other"),
        ("string(1 / (self - 1))", "the other"),
    ];
    for (expression, expected) in cases {
        let rule = json!([{"rule": "self > 1", "message": "the other", "messageExpression": expression}]);
        let found = errors(&with_rules(integer(), rule), json!({"f": 1}), None);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{expression}: {found:?}");
    }
    let number = json!([{"rule": "self > 1", "messageExpression": "self"}]);
    assert!(!is_accepted(&with_rules(integer(), number)));
}

#[test]
fn a_field_path_is_relative_and_exists() {
    let field = |path: &str| {
        let map = object(json!({"foo": {"type": "integer"}}));
        let list = json!({"type": "array", "items": {"type": "string"}});
        let fields = json!({"testMap": map, "testList": list, "foo.34$": {"type": "string"}});
        with_rules(object(fields), json!([{"rule": "self.testMap.foo > 1", "fieldPath": path}]))
    };
    for (path, reported) in
        [(".testMap.foo", "testMap.foo"), (".testList", "testList"), ("['foo.34$']", "foo.34$")]
    {
        assert!(is_accepted(&field(path)), "{path}");
        let found = errors(&field(path), json!({"f": {"testMap": {"foo": 1}}}), None);
        let place = found[0].split(": ").next().unwrap();
        assert!(found.len() == 1 && place.starts_with('f') && place.contains(reported), "{path}: {found:?}");
    }
    for path in [".testMap.bar", ".testList[0]", "testMap.foo[", ".other"] {
        assert!(!is_accepted(&field(path)), "{path}");
    }
}

#[test]
fn rules_see_the_value_at_their_node() {
    let part = object(json!({"a": {"type": "integer"}, "b": {"type": "integer"}}));
    assert!(holds(part.clone(), "self.a <= self.b", json!({"a": 1, "b": 2})));
    assert!(!holds(part.clone(), "self.a <= self.b", json!({"a": 3, "b": 2})));
    assert!(
        holds(part.clone(), "!has(self.a)", json!({"b": 2})) && !holds(part, "!has(self.a)", json!({"a": 2}))
    );
    let nullable = object(json!({"a": {"type": "integer", "nullable": true}}));
    assert!(holds(nullable, "!has(self.a)", json!({"a": null})));
    let widgets = json!({"type": "object",
        "additionalProperties": object(json!({"priority": {"type": "integer"}}))});
    assert!(holds(widgets.clone(), "self['Widget'].priority < 10", json!({"Widget": {"priority": 9}})));
    assert!(holds(widgets.clone(), "!('Widget' in self)", json!({"Other": {"priority": 9}})));
    assert!(!holds(widgets, "self.all(key, self[key].priority < 10)", json!({"Other": {"priority": 10}})));
    let values = json!({"type": "array", "items": {"type": "integer"}, "maxItems": 9});
    let range = "self.all(value, value >= 0 && value < 100)";
    assert!(holds(values.clone(), range, json!([0, 99])) && !holds(values.clone(), range, json!([0, 100])));
    assert!(holds(values, "self[1] == 5", json!([4, 5])));
    let text = json!({"type": "string"});
    assert!(
        holds(text.clone(), "self.startsWith('kube')", json!("kubelet"))
            && !holds(text, "self.startsWith('kube')", json!("k"))
    );
}

#[test]
fn rules_see_names_and_no_other_metadata() {
    let root = |rule: &str| json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}]});
    for name in ["self.apiVersion", "self.kind", "self.metadata.name", "self.metadata.generateName"] {
        assert!(is_accepted(&root(&format!("{name} != 'a'"))), "{name}");
    }
    for name in ["self.metadata.namespace", "self.metadata.labels['a']"] {
        assert!(!is_accepted(&root(&format!("{name} != 'a'"))), "{name}");
    }
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    let rule = |rule: &str| with_rules(embedded.clone(), json!([{"rule": rule}]));
    assert!(is_accepted(&rule("self.metadata.name != 'a'")) && !is_accepted(&rule("self.spec.a != 'a'")));
}

#[test]
fn properties_of_unknown_types_are_invisible() {
    let unknown = json!({"x-kubernetes-preserve-unknown-fields": true});
    let list = json!({"type": "array", "items": unknown});
    let map = json!({"type": "object", "additionalProperties": unknown});
    for (field, visible) in [(unknown, false), (list, false), (map, false), (json!({"type": "string"}), true)]
    {
        let schema = with_rules(object(json!({"a": field})), json!([{"rule": "has(self.a)"}]));
        assert_eq!(is_accepted(&schema), visible, "{schema}");
    }
}

#[test]
fn names_are_escaped() {
    let names = [
        ("namespace", "__namespace__"),
        ("x-prop", "x__dash__prop"),
        ("redact__d", "redact__underscores__d"),
        ("a.b", "a__dot__b"),
        ("a/b", "a__slash__b"),
        ("plain", "plain"),
    ];
    for (name, escaped) in names {
        let field = || object(json!({name: {"type": "integer"}}));
        let rule = format!("self.{escaped} > 0");
        assert!(
            holds(field(), &rule, json!({name: 1})) && !holds(field(), &rule, json!({name: 0})),
            "{name}"
        );
    }
    for name in ["a$b", "1a"] {
        let schema = with_rules(
            object(json!({name: {"type": "integer"}})),
            json!([{"rule": format!("self.{name} > 0")}]),
        );
        assert!(!is_accepted(&schema), "{name}");
    }
    for word in [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
    ] {
        let field = object(json!({word: {"type": "integer"}}));
        assert!(holds(field, &format!("self.__{word}__ > 0"), json!({word: 1})), "{word}");
    }
}

#[test]
fn lists_of_sets_and_maps_have_their_semantics() {
    let set = json!({"type": "array", "maxItems": 9, "items": {"type": "integer"}, "x-kubernetes-list-type": "set"});
    assert!(holds(set.clone(), "self == [2, 1]", json!([1, 2])));
    assert!(holds(set.clone(), "(self + [1, 3]).size() == 3 && (self + [1, 3])[2] == 3", json!([1, 2])));
    let atomic = json!({"type": "array", "items": {"type": "integer"}});
    assert!(!holds(atomic, "self == [2, 1]", json!([1, 2])));
    let item = object(json!({"k": {"type": "string", "maxLength": 9}, "v": {"type": "integer"}}));
    let mut item = item;
    item["required"] = json!(["k"]);
    let map = json!({"type": "array", "items": item, "maxItems": 9, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]});
    // Lists of one type are those of one field, here before and after an update.
    let updates = |rule: &str, old: Value, new: Value| {
        let schema = with_rules(map.clone(), json!([{ "rule": rule }]));
        assert!(is_accepted(&schema), "{rule}");
        errors(&schema, json!({ "f": new }), Some(json!({ "f": old }))).is_empty()
    };
    let old = json!([{"k": "x", "v": 1}, {"k": "y", "v": 2}]);
    let other = json!([{"k": "y", "v": 3}, {"k": "z", "v": 4}]);
    assert!(updates("(oldSelf + self).map(e, e.v) == [1, 3, 4]", old.clone(), other));
    let turned = json!([{"k": "y", "v": 2}, {"k": "x", "v": 1}]);
    assert!(updates("self == oldSelf", old, turned));
}

#[test]
fn transition_rules_need_an_old_value() {
    let integer = || json!({"type": "integer"});
    let plain = with_rules(integer(), json!([{"rule": "self >= oldSelf"}]));
    assert!(is_accepted(&plain));
    assert!(errors(&plain, json!({"f": 1}), None).is_empty());
    assert!(errors(&plain, json!({"f": 1}), Some(json!({}))).is_empty());
    assert_eq!(errors(&plain, json!({"f": 1}), Some(json!({"f": 2}))).len(), 1);
    let rule = "oldSelf.hasValue() ? self >= oldSelf.value() : self == 0";
    let optional = with_rules(integer(), json!([{"rule": rule, "optionalOldSelf": true}]));
    assert!(is_accepted(&optional));
    assert!(errors(&optional, json!({"f": 0}), None).is_empty());
    assert_eq!(errors(&optional, json!({"f": 1}), None).len(), 1);
    assert_eq!(errors(&optional, json!({"f": 1}), Some(json!({}))).len(), 1);
    assert!(errors(&optional, json!({"f": 2}), Some(json!({"f": 1}))).is_empty());
    let without = with_rules(integer(), json!([{"rule": "self >= 0", "optionalOldSelf": true}]));
    assert!(!is_accepted(&without));
}
