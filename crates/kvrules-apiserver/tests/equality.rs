//! Equality under a schema: sets, map lists, embedded resources and data without a type. The answers are read off
//! `k8s.io/apiserver/pkg/cel/common`, values.go, of Kubernetes 1.36.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::crd::CompiledSchema;
use serde_json::{Value as Json, json};

/// The answer of a rule about an object with these properties: `holds`, `fails`, or why it cannot be evaluated.
fn answer(properties: &Json, object: &Json, old: Option<&Json>, rule: &str) -> String {
    let schema = json!({
        "type": "object", "properties": properties, "x-kubernetes-validations": [{"rule": rule}],
    });
    let report = CompiledSchema::new(&json!({"type": "object", "properties": {"spec": schema}}))
        .validate_object(&json!({"spec": object}), old.map(|old| json!({"spec": old})).as_ref());
    match report.errors.first().map(|error| error.detail.as_str()) {
        None => "holds".to_owned(),
        Some(detail) if detail.starts_with("failed rule") => "fails".to_owned(),
        Some(detail) => detail.split(" evaluating rule").next().unwrap_or_default().to_owned(),
    }
}

fn hold(properties: &Json, object: &Json, answers: &[(&str, &str)]) {
    for (rule, expected) in answers {
        assert_eq!(answer(properties, object, None, rule), *expected, "{rule} of {object}");
    }
}

fn set_of(items: &Json) -> Json {
    json!({"s": {"type": "array", "x-kubernetes-list-type": "set", "items": items}})
}

#[test]
fn a_set_finds_its_elements_by_what_they_were_decoded_as() {
    let same = "self.s == self.s";
    let doubled = "(self.s + self.s).size() == self.s.size()";
    let of = |ty: &str| set_of(&json!({"type": ty}));
    let formatted = |format: &str| set_of(&json!({"type": "string", "format": format}));
    hold(
        &of("string"),
        &json!({"s": ["a", "b"]}),
        &[(same, "holds"), (doubled, "holds"), ("self.s == ['b', 'a']", "holds")],
    );
    hold(
        &of("integer"),
        &json!({"s": [1, 2]}),
        &[(same, "holds"), (doubled, "holds"), ("self.s == [2, 1]", "holds")],
    );
    hold(&of("boolean"), &json!({"s": [true]}), &[(same, "holds"), (doubled, "holds")]);
    hold(&of("number"), &json!({"s": [1.5, 2.5]}), &[(same, "holds"), (doubled, "holds")]);
    // An integer is decoded as one and looked up as a double.
    hold(
        &of("number"),
        &json!({"s": [1, 2.5]}),
        &[(same, "fails"), (doubled, "fails"), ("self.s != [1.0, 2.5]", "holds")],
    );
    // A string that is looked up as a time fails in the same way.
    for (format, text) in [("date", "2000-01-01"), ("date-time", "2000-01-01T00:00:00Z"), ("duration", "1s")]
    {
        hold(
            &formatted(format),
            &json!({"s": [text]}),
            &[(same, "fails"), (doubled, "fails"), ("self.s[0] in self.s", "holds")],
        );
        hold(&formatted(format), &json!({"s": []}), &[(same, "holds"), (doubled, "holds")]);
    }
    let bytes = "internal error: runtime error: hash of unhashable type []uint8";
    hold(&formatted("byte"), &json!({"s": ["QUI="]}), &[(same, bytes), (doubled, bytes)]);
}

#[test]
fn what_is_added_to_a_set_is_read_as_its_elements_are() {
    let properties = set_of(&json!({"type": "string", "format": "duration"}));
    hold(
        &properties,
        &json!({"s": ["1s"]}),
        &[
            ("(self.s + [duration('2s'), duration('2s')]).size() == 2", "holds"),
            ("(self.s + [duration('2s')])[0] == duration('1s')", "holds"),
            (
                "(self.s + [duration('2s')])[1] == duration('2s')",
                "invalid data, expected string, got time.Duration",
            ),
            ("(self.s + [duration('2s')]) == [duration('2s'), duration('2s')]", "holds"),
        ],
    );
    let strings = set_of(&json!({"type": "string"}));
    hold(
        &strings,
        &json!({"s": ["a"]}),
        &[("self.s + ['b', 'b', 'a'] == ['b', 'a']", "holds"), ("(self.s + ['b'])[1] == 'b'", "holds")],
    );
}

fn map_list(keys: &Json) -> Json {
    let text = json!({"type": "string"});
    json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": {
        "type": "object", "properties": {"name": text, "namespace": text, "a.b": text, "k!": text, "v": text},
    }}})
}

#[test]
fn a_map_list_is_looked_up_by_the_escaped_names_of_its_keys() {
    let swapped = |key: &str| {
        let (a, b) = (json!({key: "a", "name": "n"}), json!({key: "b", "name": "n"}));
        (json!({"l": [a, b]}), json!({"l": [b, a]}))
    };
    for key in ["name", "v", "k!"] {
        let (new, old) = swapped(key);
        assert_eq!(
            answer(&map_list(&json!([key])), &new, Some(&old), "self.l == oldSelf.l"),
            "holds",
            "{key}"
        );
    }
    // No element has a field `__namespace__` or `a__dot__b`, so that all have the same key and the last counts.
    for key in ["namespace", "a.b"] {
        let (new, old) = swapped(key);
        for keys in [json!([key]), json!([key, "name"])] {
            let properties = map_list(&keys);
            assert_eq!(answer(&properties, &new, Some(&old), "self.l == oldSelf.l"), "fails", "{key}");
            hold(
                &properties,
                &new,
                &[("self.l == self.l", "fails"), ("(self.l + self.l).size() == 2", "holds")],
            );
            hold(&properties, &json!({"l": [{key: "a"}]}), &[("self.l == self.l", "holds")]);
        }
    }
}

#[test]
fn of_elements_with_one_key_the_last_counts() {
    let of = |values: &[&str]| {
        let items: Vec<Json> = values.iter().map(|value| json!({"name": "n", "v": value})).collect();
        json!({"l": items})
    };
    let properties = map_list(&json!(["name"]));
    let pairs = [
        (["a", "b"], ["b", "b"], "holds"),
        (["a", "b"], ["a", "b"], "fails"),
        (["a", "b"], ["a", "a"], "fails"),
    ];
    for (new, old, expected) in pairs {
        let found = answer(&properties, &of(&new), Some(&of(&old)), "self.l == oldSelf.l");
        assert_eq!(found, expected, "{new:?} {old:?}");
    }
    let object = json!({"l": [{"name": "n", "v": "a"}, {"name": "m", "v": "b"}]});
    hold(
        &properties,
        &object,
        &[
            ("(self.l + [self.l[0], self.l[0]]).size() == 2", "holds"),
            ("([self.l[0]] + self.l).size() == 3", "holds"),
            ("(self.l.filter(x, x.name == 'n') + self.l).size() == 3", "holds"),
        ],
    );
    // Each element that the left side lacks is added, including duplicates.
    let old = json!({"l": [{"name": "o"}]});
    let added = "(self.l + [oldSelf.l[0], oldSelf.l[0]]).size() == 4";
    assert_eq!(answer(&properties, &object, Some(&old), added), "holds");
}

#[test]
fn a_resource_that_declares_all_names_shows_what_it_declares_of_metadata() {
    let text = json!({"type": "string"});
    let resource = |metadata: Json| {
        json!({"e": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "apiVersion": text, "kind": text, "metadata": {"type": "object", "properties": metadata},
        }}})
    };
    let object =
        json!({"e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"}}});
    let all = resource(json!({"name": text, "generateName": text, "namespace": text}));
    hold(
        &all,
        &object,
        &[
            ("self.e.metadata.namespace == 'b'", "holds"),
            ("has(self.e.metadata.namespace) && !has(self.e.metadata.generateName)", "holds"),
        ],
    );
    // A resource that declares only some names has those of every resource, and no others.
    let some = resource(json!({"name": text, "namespace": text}));
    hold(&some, &object, &[("self.e.metadata.name == 'a' && self.e.kind == 'Pod'", "holds")]);
    let unseen = answer(&some, &object, None, "has(self.e.metadata.namespace)");
    assert!(unseen.contains("undefined field 'namespace'") || unseen == "fails", "{unseen}");
}

#[test]
fn data_without_a_type_is_equal_where_it_was_decoded_as_the_same() {
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    let properties = json!({"l": {"type": "array", "items": {"type": "object", "properties": {"v": any}}}});
    let same =
        [json!("a"), json!(1), json!(true), json!([1, {"b": []}]), json!({"b": {"c": 1.5}}), json!({})];
    for value in &same {
        hold(
            &properties,
            &json!({"l": [{"v": value}, {"v": value}]}),
            &[("self.l[0] == self.l[1]", "holds")],
        );
    }
    let unlike = [("a", json!("b")), ("a", json!(1)), ("a", json!(["a"])), ("a", json!({"a": "a"}))];
    for (left, right) in unlike {
        hold(&properties, &json!({"l": [{"v": left}, {"v": right}]}), &[("self.l[0] != self.l[1]", "holds")]);
    }
    // Numbers are compared as what they were decoded as.
    hold(&properties, &json!({"l": [{"v": 1}, {"v": 1.0}]}), &[("self.l[0] != self.l[1]", "holds")]);
}

#[test]
fn what_is_added_to_a_list_is_read_as_its_elements_are() {
    let of = |items: Json| json!({"l": {"type": "array", "items": items}});
    let dates = of(json!({"type": "string", "format": "date"}));
    let time = "invalid data, expected string, got time.Time";
    hold(
        &dates,
        &json!({"l": ["2000-01-01", "2000-01-02"]}),
        &[
            ("(self.l + self.l).size() == 4 && (self.l + self.l)[1] == self.l[1]", "holds"),
            ("(self.l + self.l)[2] == self.l[0]", time),
            ("(self.l + self.l).all(x, x.getFullYear() == 2000)", time),
            ("([] + self.l + [])[1] == self.l[1]", "holds"),
            ("([self.l[0]] + self.l)[1] == self.l[0]", "holds"),
            ("self.l[0] in self.l + [self.l[1]]", "holds"),
        ],
    );
    let bytes = of(json!({"type": "string", "format": "byte"}));
    let wanted = "invalid data, expected string, got []uint8";
    hold(&bytes, &json!({"l": ["QUI="]}), &[("(self.l + [b'AB'])[1] == b'AB'", wanted)]);
    let lists = of(json!({"type": "array", "items": {"type": "integer"}}));
    let wanted = "invalid data, expected an array for the provided schema with type=array";
    hold(
        &lists,
        &json!({"l": [[1], [2]]}),
        &[
            ("(self.l + self.l)[2] == [1]", "holds"),
            ("(self.l + [self.l[1]])[2] == [2]", "holds"),
            ("(self.l + [[3]])[2] == [3]", wanted),
        ],
    );
    let plain = of(json!({"type": "integer"}));
    hold(&plain, &json!({"l": [1]}), &[("self.l + [2, 3] == [1, 2, 3]", "holds")]);
}

#[test]
fn the_elements_of_a_list_of_sets_decide_what_it_contains() {
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    let properties = json!({"l": {"type": "array", "items": set}});
    hold(
        &properties,
        &json!({"l": [["a", "b"]]}),
        &[
            ("['b', 'a'] in self.l", "holds"),
            ("self.l[0] in [['b', 'a']]", "holds"),
            ("['b', 'a'] in [self.l[0]]", "fails"),
            ("self.l[0] == ['b', 'a'] && ['b', 'a'] != self.l[0]", "holds"),
        ],
    );
}
