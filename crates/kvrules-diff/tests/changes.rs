//! Single changes of schemas, and what each is said to be.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_diff::schema::{Version, compare_versions};
use kvrules_diff::{Change, Comparison, Direction, EffectAnswer, WriteKind};
use serde_json::{Value, json};

/// The only change that there is when a field becomes another.
fn only(old: Value, new: Value) -> Change {
    let with = |field: Value| json!({"type": "object", "properties": {"f": field}});
    let comparison = compare_versions(&with(old), &with(new), &json!({}));
    assert_eq!(comparison.changes.len(), 1, "{comparison:?}");
    comparison.changes.into_iter().next().unwrap()
}

fn direction(old: Value, new: Value) -> (Direction, bool) {
    let change = only(old, new);
    (change.direction, change.proved)
}

#[test]
fn a_pattern_that_is_written_anew_is_proved_to_be_the_same() {
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    assert_eq!(direction(text("^[a-c]+$"), text("^(a|b|c)(a|b|c)*$")), (Direction::Equal, true));
    assert_eq!(direction(text("^[a-c]+$"), text("^[a-b]+$")), (Direction::Tightened, true));
    assert_eq!(direction(text("^a"), text("a")), (Direction::Loosened, true));
    assert_eq!(direction(text("^a$"), text("^b$")), (Direction::Incomparable, true));
}

#[test]
fn limits_that_say_the_same_together_are_equal() {
    let old = json!({"type": "string", "enum": ["a", "b"]});
    assert_eq!(direction(old, json!({"type": "string", "pattern": "^(a|b)$"})), (Direction::Equal, true));
    let old = json!({"type": "integer", "minimum": 1, "maximum": 3});
    assert_eq!(direction(old, json!({"type": "integer", "enum": [3, 2, 1]})), (Direction::Equal, true));
}

#[test]
fn a_rule_about_updates_is_shown_by_an_update() {
    let rule = json!([{"rule": "self == oldSelf", "message": "it stays"}]);
    let change =
        only(json!({"type": "integer"}), json!({"type": "integer", "x-kubernetes-validations": rule}));
    assert_eq!((change.direction, change.proved), (Direction::Tightened, true));
    let witness = change.refused.unwrap();
    assert_ne!(witness.previous.unwrap()["f"], witness.object["f"]);
    assert_eq!(witness.because, "f: it stays");
}

#[test]
fn a_rule_is_compared_by_what_it_says() {
    let with = |rule: &str, message: &str| json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule, "message": message}]});
    let old = || with("self > 1 && self < 9", "m");
    assert_eq!(direction(old(), with("9 > self && 1 < self", "m")), (Direction::Equal, true));
    assert_eq!(direction(old(), with("self > 1 && self < 9", "n")), (Direction::MessageOnly, true));
    assert_eq!(
        direction(old(), with("self > 1 && self < 9 && self != 4", "m")),
        (Direction::Tightened, true)
    );
    assert_eq!(direction(old(), with("self > 1 && self < 8", "m")), (Direction::Tightened, true));
    assert_eq!(direction(old(), with("self > 0 && self < 8", "m")), (Direction::Incomparable, true));
    assert_eq!(direction(old(), with("self in [2, 3, 4, 5, 6, 7, 8]", "m")), (Direction::Equal, true));
    // No formula has a map that is written out.
    let unclear = only(old(), with("{'a': self > 1}['a'] && self < 9", "m"));
    assert_eq!(unclear.direction, Direction::Unknown);
    assert!(unclear.notes[0].starts_with("no difference found in "), "{:?}", unclear.notes);
    let reason = "the new rule has no formula: a map that is written out";
    assert!(unclear.notes.iter().any(|note| note == reason), "{:?}", unclear.notes);
}

/// Compares an object with fields `a` and `b` under the rules of both sides.
fn of_rules(old: &[&str], new: &[&str]) -> Comparison {
    let with = |rules: &[&str]| {
        let rules: Vec<Value> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        let fields =
            json!({"a": {"type": "integer", "minimum": 0}, "b": {"type": "string"}, "c": {"type": "string"}});
        let node = json!({"type": "object", "properties": fields, "x-kubernetes-validations": rules});
        json!({"type": "object", "properties": {"spec": node}})
    };
    compare_versions(&with(old), &with(new), &json!({}))
}

#[test]
fn a_rule_that_others_imply_may_go_without_effect() {
    let comparison =
        of_rules(&["has(self.b) && has(self.c)", "has(self.b)"], &["has(self.b) && has(self.c)"]);
    let [change] = comparison.changes.as_slice() else { panic!("{comparison:?}") };
    assert_eq!((change.direction, change.proved, change.what), (Direction::Equal, true, "rule removed"));
    assert_eq!(change.proofs[0].excludes, Direction::Loosened);
    assert_eq!(change.proofs[0].by, ["`has(self.b) && has(self.c)` of `spec`"]);
    // The schema implies this one.
    let comparison = of_rules(&["!has(self.a) || self.a >= 0"], &[]);
    assert_eq!(comparison.changes[0].direction, Direction::Equal);
    assert!(comparison.changes[0].proofs[0].by.is_empty());
}

#[test]
fn a_difference_is_shown_although_other_rules_need_fields_that_may_be_absent() {
    let text = json!({"type": "string", "maxLength": 20});
    let target = json!({"type": "object", "required": ["name"],
        "x-kubernetes-validations": [{"rule": "self.port > 0"}, {"rule": "quantity(self.size).isGreaterThan(quantity('1Gi'))"}],
        "properties": {"name": text, "primary": {"type": "boolean"}, "port": {"type": "integer"},
            "size": {"x-kubernetes-int-or-string": true}}});
    let spec = |limit: &str| {
        let rules = [
            "self.targets.exists_one(t, t.primary)".to_owned(),
            "self.targets.all(t, t.name in self.allowed)".to_owned(),
            format!("duration(self.timeout) <= duration('{limit}')"),
        ];
        let rules: Vec<Value> = rules.into_iter().map(|rule| json!({ "rule": rule })).collect();
        json!({"type": "object", "required": ["targets"], "x-kubernetes-validations": rules, "properties": {
            "timeout": text, "allowed": {"type": "array", "maxItems": 5, "items": text},
            "targets": {"type": "array", "minItems": 1, "maxItems": 5, "items": target}}})
    };
    let change = only(spec("1h"), spec("2h"));
    assert_eq!((change.direction, change.proved), (Direction::Loosened, true));
    assert_eq!(change.accepted.unwrap().object["f"]["timeout"], "1h30m");
}

#[test]
fn a_rule_in_parts_is_the_same() {
    let comparison = of_rules(
        &["has(self.a) == has(self.b)"],
        &["!has(self.a) || has(self.b)", "has(self.a) || !has(self.b)"],
    );
    assert!(comparison.changes.iter().all(|change| change.direction == Direction::Equal && change.proved));
    let premises = |change: &Change| change.proofs.iter().map(|proof| proof.by.len()).max();
    assert_eq!(comparison.changes.iter().filter_map(premises).max(), Some(2));
}

#[test]
fn a_rule_that_moves_to_another_node_is_the_same() {
    let with = |is_moved: bool| {
        let rule = |text: &str, is_there: bool| if is_there { json!([{ "rule": text }]) } else { json!([]) };
        let field = json!({"type": "string", "x-kubernetes-validations": rule("self != ''", !is_moved)});
        json!({"type": "object", "properties": {"spec": {
            "type": "object",
            "properties": {"name": field},
            "x-kubernetes-validations": rule("!has(self.name) || self.name != ''", is_moved),
        }}})
    };
    let comparison = compare_versions(&with(false), &with(true), &json!({}));
    let found: Vec<_> = comparison.changes.iter().map(|change| (change.what, change.direction)).collect();
    assert_eq!(found, [("rule added", Direction::Equal), ("rule removed", Direction::Equal)]);
}

#[test]
fn a_rule_that_becomes_a_keyword_is_the_same() {
    let cases = [
        ("string", "self.size() <= 9", json!({"maxLength": 9})),
        ("string", "self != ''", json!({"minLength": 1})),
        ("string", "self.matches('^[a-z]+$')", json!({"pattern": "^[a-z]+$"})),
        ("string", "self in ['a', 'b']", json!({"enum": ["a", "b"]})),
        ("integer", "self > 2 && self <= 7", json!({"minimum": 3, "maximum": 7})),
    ];
    for (kind, rule, keywords) in cases {
        let mut new = json!({"type": kind});
        new.as_object_mut().unwrap().extend(keywords.as_object().unwrap().clone());
        let with = |field: Value| json!({"type": "object", "properties": {"f": field}});
        let old = json!({"type": kind, "x-kubernetes-validations": [{ "rule": rule }]});
        for (one, other) in [(&old, &new), (&new, &old)] {
            let comparison = compare_versions(&with(one.clone()), &with(other.clone()), &json!({}));
            let directions: Vec<Direction> =
                comparison.changes.iter().map(|change| change.direction).collect();
            assert_eq!(directions, [Direction::Equal; 2], "{rule}: {comparison:#?}");
        }
    }
}

#[test]
fn a_type_or_default_that_differs_is_no_premise_of_a_proof() {
    let with = |default: Option<&str>, rules: &[&str]| {
        let mut field = json!({"type": "string"});
        if let Some(default) = default {
            field["default"] = json!(default);
        }
        let rules: Vec<Value> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        json!({"type": "object", "properties": {"b": field}, "x-kubernetes-validations": rules})
    };
    // The default makes the rule true where the field is left out.
    let change = |old: Value, new: Value| compare_versions(&old, &new, &json!({})).changes;
    let changes = change(with(None, &["has(self.b)"]), with(Some("x"), &[]));
    let removed = changes.iter().find(|change| change.what == "rule removed").unwrap();
    assert!(removed.proofs.is_empty() && removed.direction != Direction::Equal, "{changes:#?}");
}

#[test]
fn a_rule_that_reads_the_stored_value_if_there_is_one_is_proved_for_both_writes() {
    let with = |rules: &[(&str, bool)]| {
        let rules: Vec<Value> =
            rules.iter().map(|(rule, optional)| json!({"rule": rule, "optionalOldSelf": optional})).collect();
        json!({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rules}}})
    };
    let above = ("self > 3", false);
    // In an update this one lets every number pass.
    let created = ("oldSelf.hasValue() || self > 3", true);
    let always = ("(oldSelf.hasValue() && self > 4) || self > 3", true);
    let change = |new: (&str, bool)| {
        let comparison = compare_versions(&with(&[above, new]), &with(&[new]), &json!({}));
        comparison.changes.into_iter().find(|change| change.what == "rule removed").unwrap()
    };
    assert_eq!(change(created).direction, Direction::Loosened);
    assert_eq!(change(always).direction, Direction::Equal);
}

#[test]
fn an_update_shows_that_a_rule_about_updates_is_gone() {
    let comparison = of_rules(
        &["has(self.b) != has(self.c)", "!has(oldSelf.b) || has(self.b)"],
        &["has(self.b) != has(self.c)"],
    );
    let change = &comparison.changes[0];
    assert_eq!((change.direction, change.proved), (Direction::Loosened, true));
    let witness = change.accepted.as_ref().unwrap();
    assert!(
        witness.previous.as_ref().unwrap()["spec"].get("b").is_some()
            && witness.object["spec"].get("c").is_some()
    );
}

#[test]
fn a_rule_without_a_formula_is_unknown_in_the_direction_without_an_example() {
    let with = |rule: &str| {
        let fields = json!({"s": {"type": "string", "maxLength": 30}, "n": {"type": "integer"}});
        json!({"type": "object", "required": ["s", "n"], "properties": fields, "x-kubernetes-validations": [{"rule": rule}]})
    };
    for (old, new) in [
        ("url(self.s).getHost() == 'qq' || self.n > 3", "url(self.s).getPort() == '17' || self.n > 2"),
        ("self.s.split('q').size() == 9 || self.n > 3", "self.s.split('z').size() == 9 || self.n > 2"),
        ("self.s.indexOf('q') == 19 || self.n > 3", "self.s.indexOf('z') == 19 || self.n > 2"),
    ] {
        for (old, new) in [(old, new), (new, old)] {
            let change = only(with(old), with(new));
            assert!(change.tightens() != EffectAnswer::No, "{old} → {new}: {change:#?}");
            assert!(change.loosens() != EffectAnswer::No, "{old} → {new}: {change:#?}");
            let is_open = [change.tightens(), change.loosens()].contains(&EffectAnswer::Unknown);
            assert_eq!(change.proved, !is_open, "{change:#?}");
        }
    }
}

#[test]
fn an_example_is_rejected_for_the_change_that_it_shows() {
    let with = |required: Value, rules: Value| {
        let text = json!({"type": "string", "maxLength": 9});
        let item = json!({"type": "object", "required": required, "properties": {"name": text, "endpoint": text},
            "x-kubernetes-validations": rules});
        json!({"type": "object", "properties": {"vols": {"type": "array", "maxItems": 5, "items": item}}})
    };
    let added = json!([
        {"rule": "!has(self.name) || has(self.endpoint)", "message": "needs an endpoint"},
        {"rule": "!has(self.name) || self.name != 'x'", "message": "not x"},
        {"rule": "!has(self.name) || self.name != 'y'", "message": "not y"},
    ]);
    let (old, new) = (with(json!([]), json!([])), with(json!(["endpoint"]), added));
    let comparison = compare_versions(&old, &new, &json!({}));
    let reasons: Vec<(&str, &str)> = comparison
        .changes
        .iter()
        .filter_map(|change| {
            Some((change.limits[0].after.as_deref()?, change.refused.as_ref()?.because.as_str()))
        })
        .collect();
    assert_eq!(
        reasons,
        [
            ("!has(self.name) || self.name != 'x'", "vols[0]: not x"),
            ("!has(self.name) || self.name != 'y'", "vols[0]: not y"),
            ("required", "vols[0]: `endpoint` is required"),
        ],
        "{comparison:#?}"
    );
}

#[test]
fn an_update_is_rejected_for_the_change_that_it_shows() {
    let with = |of_root: Value, of_memory: Value| {
        let memory = json!({"type": "integer", "x-kubernetes-validations": of_memory});
        let spec = json!({"type": "object", "properties": {"class": {"type": "string"}, "memory": memory}});
        json!({"type": "object", "properties": {"spec": spec}, "x-kubernetes-validations": of_root})
    };
    let stays = "!has(oldSelf.spec) || !has(oldSelf.spec.class) || has(self.spec) && has(self.spec.class) && \
                 self.spec.class == oldSelf.spec.class";
    let old = with(json!([]), json!([]));
    let new = with(
        json!([{"rule": stays, "message": "it stays", "fieldPath": ".spec.class"}]),
        json!([{"rule": "self > 64 && self < 128", "message": "too little or too much"}]),
    );
    let comparison = compare_versions(&old, &new, &json!({}));
    let change = comparison.changes.iter().find(|change| change.at.is_empty()).unwrap();
    let because = &change.refused.as_ref().unwrap().because;
    assert!(because.ends_with("it stays"), "{comparison:#?}");
}

#[test]
fn keywords_in_branches_that_all_apply_say_what_they_say_next_to_the_type() {
    let with = |more: Value| {
        let mut node = json!({"type": "string"});
        node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "object", "properties": {"op": node}})
    };
    let listed = json!(["In", "NotIn"]);
    for (old, new) in [
        (json!({"allOf": [{"enum": listed}, {"enum": listed}]}), json!({"enum": listed})),
        (json!({"allOf": [{"maxLength": 5}, {"maxLength": 9}]}), json!({"maxLength": 5})),
        (json!({"allOf": [{"pattern": "^a"}]}), json!({"pattern": "^a"})),
    ] {
        for (old, new) in [(&old, &new), (&new, &old)] {
            let changes = compare_versions(&with(old.clone()), &with(new.clone()), &json!({})).changes;
            assert!(!changes.is_empty());
            for change in &changes {
                assert_eq!(
                    (change.direction, change.proved),
                    (Direction::Equal, true),
                    "{old} → {new}: {change:#?}"
                );
            }
        }
    }
}

#[test]
fn a_field_that_comes_is_looser_and_one_that_goes_is_stricter() {
    let with = |names: &[&str]| {
        let fields: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": fields})
    };
    assert_eq!(direction(with(&["a"]), with(&["a", "b"])), (Direction::Loosened, true));
    assert_eq!(direction(with(&["a", "b"]), with(&["a"])), (Direction::Tightened, true));
}

#[test]
fn a_default_changes_what_is_stored_and_not_what_is_accepted() {
    let change = only(json!({"type": "integer"}), json!({"type": "integer", "default": 3}));
    assert_eq!((change.direction, change.proved, change.what), (Direction::Equal, true, "default"));
    assert_eq!(change.notes, ["objects without the field are stored with another value"]);
}

#[test]
fn branches_see_only_the_fields_that_they_name() {
    let with = |default: &str, branches: Value| {
        let fields = json!({"mode": {"type": "string", "default": default}, "a": {"type": "integer"}, "b": {"type": "integer"}});
        json!({"type": "object", "properties": fields, "anyOf": branches})
    };
    let others = json!([{"required": ["a"]}, {"required": ["b"]}]);
    assert_eq!(direction(with("A", others.clone()), with("B", others)), (Direction::Equal, true));
    let named = json!([{"required": ["a"]}, {"properties": {"mode": {"enum": ["B"]}}}]);
    assert_eq!(
        direction(with("A", named.clone()), with("B", named)),
        (Direction::LoosenedTighteningUnknown, false)
    );
    let all = json!([{"required": ["a"]}, {"minProperties": 2}]);
    assert_ne!(direction(with("A", all.clone()), with("B", all)), (Direction::Equal, true));
}

#[test]
fn branches_in_another_order_are_the_same() {
    let with = |branches: Value| {
        let fields = json!({"a": {"type": "integer"}, "b": {"type": "integer"}});
        json!({"type": "object", "properties": fields, "oneOf": branches})
    };
    let [a, b] = [json!({"required": ["a"]}), json!({"required": ["b"]})];
    let compare = |old: Value, new: Value| compare_versions(&with(old), &with(new), &json!({})).changes;
    assert_eq!(compare(json!([a, b]), json!([b, a])).len(), 0);
    assert_eq!(compare(json!([a, b, b]), json!([a, a, b])).len(), 1);
}

#[test]
fn lists_and_branches_are_compared_too() {
    let list =
        |kind: &str| json!({"type": "array", "x-kubernetes-list-type": kind, "items": {"type": "string"}});
    let change = only(list("atomic"), list("set"));
    assert_eq!(change.direction, Direction::Tightened);
    let any = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let mut one = any.clone();
    one["oneOf"] = json!([{"required": ["a"]}, {"required": ["b"]}]);
    assert_eq!(direction(any.clone(), one.clone()), (Direction::Tightened, true));
    assert_eq!(direction(one, any), (Direction::Loosened, true));
}

#[test]
fn equal_schemas_have_no_changes_whatever_their_descriptions() {
    let with =
        |text: &str| json!({"type": "object", "properties": {"a": {"type": "string", "description": text}}});
    assert!(compare_versions(&with("x"), &with("y"), &json!({})).changes.is_empty());
}

#[test]
fn a_list_that_may_have_fewer_elements_is_filled_with_different_ones() {
    let with = |most: i32| {
        let names =
            json!({"type": "array", "maxItems": most, "items": {"type": "string", "pattern": "^[a-f]{4}$"}});
        json!({
            "type": "object",
            "properties": {"names": names},
            "x-kubernetes-validations": [{"rule": "!has(self.names) || self.names.all(x, self.names.exists_one(y, y == x))"}],
        })
    };
    let change = only(with(287), with(5));
    assert_eq!((change.direction, change.proved), (Direction::Tightened, true));
    assert_eq!(change.refused.unwrap().object["f"]["names"].as_array().unwrap().len(), 6);
}

/// Compares two versions, each with the status as a subresource if its flag is set.
fn versions((old, before): (&Value, bool), (new, after): (&Value, bool)) -> Comparison {
    let version = |schema, has_status| Version { schema, has_status };
    compare_versions(version(old, before), version(new, after), &json!({}))
}

fn with_status(status: &Value) -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "integer"}, "status": status}})
}

#[test]
fn what_only_the_status_refuses_is_shown_by_a_write_to_it() {
    let with = |most: u32| {
        with_status(&json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": most}}}))
    };
    let comparison = versions((&with(9), true), (&with(5), true));
    let [change] = comparison.changes.as_slice() else { panic!("{comparison:?}") };
    assert_eq!(
        (change.at.as_str(), change.direction, change.proved),
        ("status.n", Direction::Tightened, true)
    );
    let witness = change.refused.as_ref().unwrap();
    assert_eq!((witness.write, &witness.object), (WriteKind::Status, &json!({"status": {"n": 6}})));
    assert_eq!(
        (witness.previous.as_ref(), witness.because.as_str()),
        (Some(&json!({})), "status.n: 6 should be less than or equal to 5")
    );
    // Without the subresource, a write of the whole object shows the difference.
    let comparison = versions((&with(9), false), (&with(5), false));
    assert_eq!(comparison.changes[0].refused.as_ref().unwrap().write, WriteKind::Create);
}

#[test]
fn a_rule_about_the_status_is_shown_by_a_write_to_it_too() {
    let old = with_status(&json!({"type": "integer"}));
    let mut new = old.clone();
    new["x-kubernetes-validations"] = json!([{"rule": "!has(self.status) || self.status < 3"}]);
    let comparison = versions((&old, true), (&new, true));
    let witness = comparison.changes[0].refused.as_ref().unwrap();
    assert_eq!(witness.write, WriteKind::Status);
    assert!(witness.object["status"].as_i64() >= Some(3));
    // An update of the status needs an old object with a status.
    new["properties"]["status"]["x-kubernetes-validations"] = json!([{"rule": "self >= oldSelf"}]);
    new.as_object_mut().unwrap().remove("x-kubernetes-validations");
    let comparison = versions((&old, true), (&new, true));
    let witness = comparison.changes[0].refused.as_ref().unwrap();
    assert_eq!(witness.write, WriteKind::Status);
    assert!(witness.object["status"].as_i64() < witness.previous.as_ref().unwrap()["status"].as_i64());
}

#[test]
fn a_subresource_that_comes_or_goes_is_told() {
    let schema = with_status(&json!({"type": "integer"}));
    let comparison = versions((&schema, false), (&schema, true));
    let [change] = comparison.changes.as_slice() else { panic!("{comparison:?}") };
    assert_eq!(
        (change.what, change.direction, change.proved),
        ("status subresource", Direction::Loosened, true)
    );
    let witness = change.accepted.as_ref().unwrap();
    assert_eq!((witness.write, &witness.object), (WriteKind::Create, &json!({"status": "a"})));
    let gone = versions((&schema, true), (&schema, false));
    assert_eq!((gone.changes[0].direction, gone.changes[0].proved), (Direction::Tightened, true));
    // Both versions refuse a field that neither declares.
    let plain = json!({"type": "object", "properties": {"spec": {"type": "integer"}}});
    let comparison = versions((&plain, false), (&plain, true));
    assert_eq!((comparison.changes[0].direction, comparison.changes[0].proved), (Direction::Equal, true));
}

#[test]
fn a_status_that_is_required_cannot_be_given_where_it_is_a_subresource() {
    let mut schema = with_status(&json!({"type": "integer"}));
    schema["required"] = json!(["status"]);
    let change = versions((&schema, false), (&schema, true)).changes.remove(0);
    // That no write is newly accepted is not proved.
    assert_eq!(change.direction, Direction::TightenedLooseningUnknown);
    assert_eq!(change.refused.unwrap().because, "`status` is required");
}

#[test]
fn a_field_that_comes_where_anything_may_be_is_stricter_and_one_that_goes_is_looser() {
    let with = |fields: Value| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": fields});
    let (one, two) =
        (json!({"a": {"type": "string"}}), json!({"a": {"type": "string"}, "b": {"type": "integer"}}));
    let added = only(with(one.clone()), with(two.clone()));
    assert_eq!((added.what, added.direction, added.proved), ("field added", Direction::Tightened, true));
    assert_eq!(added.refused.unwrap().object, json!({"f": {"b": "a"}}));
    assert_eq!(direction(with(two), with(one)), (Direction::Loosened, true));
}

#[test]
fn counts_are_compared_with_the_fields_that_there_are() {
    let with = |most: Option<u32>, required: &[&str]| {
        let fields = json!({"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}});
        let mut node = json!({"type": "object", "properties": fields, "required": required});
        node["maxProperties"] = json!(most.unwrap_or(9));
        node
    };
    assert_eq!(direction(with(None, &[]), with(Some(3), &[])), (Direction::Equal, true));
    assert_eq!(
        direction(with(None, &["a", "b", "c"]), with(Some(1), &["a", "b", "c"])),
        (Direction::Tightened, true)
    );
    let map = |least: u32| {
        let values = json!({"type": "integer", "minimum": 2, "maximum": 1, "nullable": true});
        json!({"type": "object", "additionalProperties": values, "minProperties": least})
    };
    assert_eq!(direction(map(0), map(2)), (Direction::Tightened, true));
}

/// The steps that it takes to compare so many changed rules of one object.
fn steps_of_rules(count: usize) -> u64 {
    let with = |most: u32| {
        let fields: serde_json::Map<_, _> =
            (0..count).map(|at| (format!("f{at}"), json!({"type": "integer"}))).collect();
        let rules: Vec<Value> =
            (0..count).map(|at| json!({"rule": format!("!has(self.f{at}) || self.f{at} < {most}"), "message": format!("f{at}")})).collect();
        json!({"type": "object", "properties": fields, "x-kubernetes-validations": rules})
    };
    let comparison = compare_versions(&with(5), &with(7), &json!({}));
    assert_eq!(comparison.changes.len(), count);
    assert!(
        comparison.changes.iter().all(|change| change.direction == Direction::Loosened),
        "{comparison:#?}"
    );
    comparison.steps
}

#[test]
fn work_for_each_changed_rule_does_not_grow_with_their_number() {
    let [few, more, many] = [20, 40, 80].map(steps_of_rules);
    println!("20 rules: {few} steps, 40: {more}, 80: {many}");
    // Each example is confirmed with all rules, which takes a few steps for each of them.
    assert!(more <= few * 3 && many <= more * 3, "{few} {more} {many}");
}
