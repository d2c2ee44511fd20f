//! The sense of rules of definitions: right rules have no finding, wrong ones have theirs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};

/// The codes of the lints of sense, and their messages, for rules of an object.
fn findings(object: &Value, rules: &Value) -> Vec<String> {
    let mut object = object.clone();
    let keywords = object.as_object_mut().unwrap();
    keywords.insert("type".to_owned(), json!("object"));
    keywords.insert("x-kubernetes-validations".to_owned(), rules.clone());
    let found = support::findings_about_objects(&json!({"type": "object", "properties": {"spec": object}}));
    found.iter().filter(|it| it.code != "KC311").map(|it| format!("{} {}", it.code, it.message)).collect()
}

fn of_rule(object: &Value, rule: &str) -> Vec<String> {
    findings(object, &json!([{"rule": rule}]))
}

fn of_optional_rule(object: &Value, rule: &str) -> Vec<String> {
    findings(object, &json!([{"rule": rule, "optionalOldSelf": true}]))
}

/// A kind of fish that is required, a depth that is not, and lists.
fn pond() -> Value {
    let fish = json!({"type": "string", "enum": ["carp", "trout", "none"]});
    let item = json!({"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string", "enum": ["pump", "filter"]},
        "size": {"type": "integer"},
    }});
    json!({"required": ["fish", "names"], "properties": {
        "fish": fish,
        "depth": {"type": "integer"},
        "names": {"type": "array", "maxItems": 4, "items": {"type": "string", "maxLength": 9}},
        "parts": {"type": "array", "maxItems": 4, "items": item},
    }})
}

#[test]
fn a_rule_that_need_not_have_a_stored_value_is_not_taken_to_have_one() {
    let right = [
        "oldSelf.hasValue() || self.fish != 'none'",
        "!oldSelf.hasValue() || oldSelf.value().fish == self.fish",
        "oldSelf.orValue(self).fish == self.fish",
        "oldSelf.?depth.orValue(5) < 100 || self.fish == 'carp'",
    ];
    for rule in right {
        assert!(of_optional_rule(&pond(), rule).is_empty(), "{rule}");
    }
    assert_eq!(
        of_optional_rule(&pond(), "self.fish == oldSelf.value().fish"),
        ["KC307 the rule ends in an error at creations, where `oldSelf` has no value"]
    );
}

#[test]
fn a_rule_about_updates_reads_fields_that_both_values_may_lack() {
    let missing =
        ["KC307 the rule ends in an error where `depth` is absent, although the schema accepts that"];
    for rule in ["self.depth == oldSelf.depth", "!has(oldSelf.depth) || self.depth >= oldSelf.depth"] {
        assert_eq!(of_rule(&pond(), rule), missing, "{rule}");
    }
    let right = [
        "self.fish == oldSelf.fish",
        "!has(oldSelf.depth) || has(self.depth) && self.depth >= oldSelf.depth",
        "has(self.depth) == has(oldSelf.depth) && (!has(self.depth) || self.depth == oldSelf.depth)",
        "oldSelf.fish == 'none' || self.fish != 'none'",
    ];
    for rule in right {
        assert!(of_rule(&pond(), rule).is_empty(), "{rule}");
    }
}

#[test]
fn rules_about_updates_are_compared_with_each_other_and_with_those_about_all_writes() {
    let found = |rules: &[&str]| {
        let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
        findings(&pond(), &Value::from(rules))
    };
    let repeats =
        |rule: &str| vec![format!("KC310 another rule of the same place implies the rule: `{rule}`")];
    let unchanged = "self.fish == oldSelf.fish";
    assert_eq!(found(&[unchanged, "oldSelf.fish == self.fish"]), repeats(unchanged));
    assert_eq!(
        found(&[unchanged, "self.fish == oldSelf.fish || oldSelf.fish == 'none'"]),
        repeats(unchanged)
    );
    // A rule that all writes have to pass implies one about updates, and not the other way round.
    let large = "size(self.names) > 1";
    assert_eq!(found(&[large, "size(self.names) > 0 || self.names == oldSelf.names"]), repeats(large));
    assert_eq!(found(&["size(self.names) > 1 && self.fish == oldSelf.fish", large]), [""; 0]);
    let different = [
        unchanged,
        "size(self.names) >= size(oldSelf.names)",
        "self.names == oldSelf.names || self.fish == 'none'",
    ];
    assert_eq!(found(&different), [""; 0]);
    // With an optional stored value the rule runs at creations too, where the other says nothing.
    let optional = json!([{"rule": unchanged}, {"rule": "!oldSelf.hasValue() || oldSelf.value().fish == self.fish", "optionalOldSelf": true}]);
    assert_eq!(findings(&pond(), &optional), [""; 0]);
}

#[test]
fn rules_that_cost_too_much_are_examined_as_well() {
    let names = json!({"type": "array", "items": {"type": "string"}});
    let object = json!({"required": ["names"], "properties": {"names": names, "depth": {"type": "integer"}}});
    let rules = json!([{"rule": "self.names.all(a, self.names.all(b, a.matches('^[a-z]+$') || a != b))"}, {"rule": "self.depth > 3"}]);
    let found = findings(&object, &rules);
    assert!(found.iter().any(|it| it.starts_with("KC304")), "{found:?}");
    assert!(found.iter().any(|it| it.starts_with("KC307") && it.contains("`depth` is absent")), "{found:?}");
}

#[test]
fn an_item_by_its_number_needs_a_list_that_is_long_enough() {
    let missing = |number| {
        [format!(
            "KC307 the rule ends in an error where a list has no item {number}, although the schema accepts that"
        )]
    };
    assert_eq!(of_rule(&pond(), "self.names[0] != ''"), missing(0));
    assert_eq!(of_rule(&pond(), "self.names.size() < 1 || self.names[1] != ''"), missing(1));
    for rule in
        ["size(self.names) == 0 || self.names[0] != ''", "self.names.size() < 2 || self.names[1] != ''"]
    {
        assert!(of_rule(&pond(), rule).is_empty(), "{rule}");
    }
}

#[test]
fn items_are_compared_with_values_of_their_enum() {
    assert_eq!(
        of_rule(&pond(), "!has(self.parts) || self.parts.exists(p, p.kind == 'Pump')"),
        ["KC309 `self.parts[].kind` is never `Pump`: its `enum` does not have it"]
    );
    for rule in
        ["!has(self.parts) || self.parts.exists(p, p.kind == 'pump')", "self.fish != '' || has(self.depth)"]
    {
        assert!(of_rule(&pond(), rule).iter().all(|it| !it.starts_with("KC309")), "{rule}");
    }
}

#[test]
fn rules_that_no_value_passes_together_are_reported_at_the_last() {
    let rules = |texts: &[&str]| {
        let rules: Vec<Value> = texts.iter().map(|text| json!({"rule": text})).collect();
        findings(&pond(), &Value::from(rules))
    };
    let several = [
        "self.fish != 'carp' || has(self.depth)",
        "self.fish == 'carp' || size(self.names) > 3",
        "!has(self.depth) || size(self.names) > 5",
        "size(self.names) < 2",
    ];
    assert_eq!(
        rules(&several),
        [format!(
            "KC313 no value passes the rule, `{}`, `{}` and `{}` together",
            several[0], several[1], several[2]
        )]
    );
    assert!(rules(&several[..2]).is_empty());
    let order = [
        "!has(self.depth) || size(self.names) <= self.depth",
        "size(self.names) > 2",
        "has(self.depth) && self.depth < 3",
    ];
    assert_eq!(
        rules(&order),
        [format!("KC313 no value passes the rule, `{}` and `{}` together", order[0], order[1])]
    );
    // Two loops of different rules are two, and different items may pass them.
    let loops = ["self.names.exists(n, n == 'a')", "self.names.exists(n, n == 'b')"];
    assert!(rules(&loops).is_empty());
    assert_eq!(
        rules(&["self.names.all(n, n == 'a')", "self.names.exists(n, n == 'b')"]),
        ["KC313 no value passes both the rule and `self.names.all(n, n == 'a')`"]
    );
}

/// The codes and messages of an object whose rules are `rule` of each number below `count`.
fn of_many(count: usize, rule: impl Fn(usize) -> String) -> Vec<String> {
    let rules: Vec<Value> = (0..count).map(|number| json!({"rule": rule(number)})).collect();
    findings(&pond(), &Value::from(rules))
}

#[test]
fn many_rules_of_one_place_are_compared_up_to_a_number_of_proofs_which_is_said() {
    let names_differ = |number| format!("size(self.names) != {} || self.fish != 'trout'", number + 5);
    let too_many =
        "KC310 too many rules to decide whether another rule implies this one, or one of those that follow";
    assert_eq!(of_many(300, |number| format!("!self.names.exists(n, n == 'v{number}')")), [too_many]);
    assert!(of_many(30, |number| format!("!self.names.exists(n, n == 'v{number}')")).is_empty());
    // Of a list with at most four names each of these is true.
    assert!(of_many(30, names_differ).iter().all(|finding| finding.starts_with("KC308")));
}

#[test]
fn rules_that_are_too_large_have_no_finding_of_sense() {
    let long: Vec<String> = (0..1_500).map(|number| format!("self.fish == 'v{number}'")).collect();
    assert!(of_rule(&pond(), &long.join(" || ")).iter().all(|finding| finding.starts_with("KC304")));
    let loops = "self.names.all(a, self.names.all(b, self.names.all(c, self.names.exists(d, d != a && d != b && d != c))))";
    assert!(of_rule(&pond(), loops).is_empty());
}

#[test]
fn loops_of_one_rule_are_compared_with_each_other() {
    let constant = |rule| of_rule(&pond(), rule);
    assert_eq!(
        constant("self.names.all(n, n != 'a') && self.names.exists(n, n == 'a')"),
        ["KC308 no object passes the rule: the server rejects every value at this place"]
    );
    assert_eq!(
        constant("self.names.all(n, n != 'a') || self.names.exists(n, n == 'a')"),
        ["KC308 the rule is true for every object that the schema accepts"]
    );
    assert!(constant("self.names.all(n, n != 'a') && self.names.exists(n, n == 'b')").is_empty());
}

#[test]
fn a_rule_that_runs_in_updates_alone_is_no_keyword() {
    let codes = |rule: &str| {
        let spec = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": rule}]});
        let found = support::findings_about_objects(&json!({"type": "object", "properties": {"spec": spec}}));
        found.iter().map(|it| it.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("has(self.a)"), ["KC311"]);
    assert_eq!(codes("has(self.a) && (has(self.a) || self.a < oldSelf.a)"), [""; 0]);
}
