//! Implications between rules.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use kvrules_cel::value::from_schema;
use kvrules_ir::Formula;
use kvrules_lift::{FormulaScope, LiftedExpression, RuleValues, is_implied};
use serde_json::Value;
use support::{holds, rule, schema};

fn implies(premise: &str, conclusion: &str, schema: &Value) -> bool {
    is_implied(&[&holds(premise, schema)], &holds(conclusion, schema), schema)
}

/// Pairs of which the first implies the second.
const IMPLICATIONS: &[(&str, &str)] = &[
    ("has(self.n) && self.n > 3", "has(self.n) && self.n >= 4"),
    ("self.n in [2, 3, 4]", "self.n > 1 && self.n < 5"),
    ("self.n > 1 && self.n < 5", "self.n in [2, 3, 4]"),
    ("true", "!has(self.m) || self.m > 1"),
    ("(has(self.n) ? self.n : 1) <= 5", "(has(self.n) ? self.n : 0) <= 5"),
    ("(has(self.n) ? self.n : 0) <= 5", "(has(self.n) ? self.n : 1) <= 5"),
    ("(has(self.text) ? self.text : 'a') < 'b'", "(has(self.text) ? self.text : 'aa') < 'b'"),
    ("true", "!has(self.text) || size(self.text) < 10"),
    ("size(self.text) > 0", "self.text != ''"),
    ("self.text != ''", "size(self.text) >= 1"),
    ("true", "!has(self.word) || self.word.size() != 0"),
    ("self.text.startsWith('ab')", "self.text.startsWith('a')"),
    ("self.text.matches('^[ab]+$')", "self.text.matches('^[a-c]+$')"),
    ("self.text == 'abc'", "self.text.contains('b')"),
    ("self.text.startsWith('a')", "!self.text.startsWith('b')"),
    ("self.list.all(x, x.n > 1)", "self.list.all(x, x.n > 0)"),
    ("self.list.all(x, x.name != 'a')", "!self.list.exists(y, y.name == 'a')"),
    ("!self.list.exists(y, y.name == 'a')", "self.list.all(x, x.name != 'a')"),
    ("self.list.exists(x, x.name == 'a')", "self.list.exists(x, x.name != 'b')"),
    (
        "self.list.all(x, self.list.all(y, x.name == y.name))",
        "self.list.all(x, self.list.all(z, z.name == x.name))",
    ),
    ("true", "!has(self.list) || size(self.list) <= 4"),
    ("self.map.all(k, self.map[k] > 3)", "self.map.all(key, self.map[key] > 2)"),
    ("self.words.all(w, w.size() > 2)", "self.words.all(w, w != '')"),
    ("[has(self.n), has(self.m)].filter(x, x).size() == 1", "has(self.n) != has(self.m)"),
    ("has(self.n) != has(self.m)", "[has(self.n), has(self.m)].exists_one(x, x)"),
    ("size(self.words.filter(w, w == 'a')) == 1", "size(self.words.filter(x, 'a' == x)) <= 1"),
];

#[test]
fn implications_are_proved() {
    let schema = schema();
    for (premise, conclusion) in IMPLICATIONS {
        assert!(implies(premise, conclusion, &schema), "{premise} implies {conclusion}");
    }
}

#[test]
fn what_is_not_implied_is_not_proved() {
    let schema = schema();
    for (premise, conclusion) in [
        ("self.n > 3", "self.n > 4"),
        ("self.n in [2, 3, 4]", "self.n in [2, 3]"),
        ("self.n > 1 && self.n < 5", "self.n in [2, 4]"),
        ("true", "self.m > 1"),
        ("!has(self.text) || size(self.text) > 0", "self.text != ''"),
        ("self.text.startsWith('a')", "self.text.startsWith('ab')"),
        ("self.text.contains('a')", "self.text.startsWith('a')"),
        ("self.list.all(x, x.n > 0)", "self.list.all(x, x.n > 1)"),
        ("self.list.all(x, x.n > 0)", "self.list.exists(x, x.n > 0)"),
        ("self.list.exists(x, x.n > 0)", "self.list.all(x, x.n > 0)"),
        (
            "self.list.exists(x, x.n > 0) && self.list.exists(x, x.name == 'a')",
            "self.list.exists(x, x.n > 0 && x.name == 'a')",
        ),
        ("self.words.all(w, w != '')", "self.words.all(w, w.size() > 2)"),
        ("self.map.all(k, k != 'a')", "self.map.all(k, self.map[k] > 0)"),
        ("has(self.n) || has(self.m)", "has(self.n) != has(self.m)"),
        ("size(self.words.filter(w, w == 'a')) <= 1", "size(self.words.filter(w, w == 'b')) <= 1"),
    ] {
        assert!(!implies(premise, conclusion, &schema), "{premise} does not imply {conclusion}");
    }
}

/// An entry that one branch needs need not be there in another: the list may be empty.
#[test]
fn empty_lists_and_maps_are_cases() {
    let schema = schema();
    for (premise, conclusion) in [
        ("self.words.all(x, self.n > 0) && (self.words.exists(x, x == 'a') || self.m > 2)", "self.n > 0"),
        (
            "self.words.all(t, t != 'bad')",
            "self.words.all(t, t != 'bad') && self.words.exists(t, t != 'bad')",
        ),
        ("self.words.all(i, x, self.n > 0) && (self.words.exists(x, x == 'a') || self.m > 2)", "self.n > 0"),
        ("self.map.all(k, self.n > 0) && (self.map.exists(k, self.map[k] > 4) || self.m > 2)", "self.n > 0"),
        ("self.map.all(k, v, self.n > 0) && (self.map.exists(k, k == 'a') || self.m > 2)", "self.n > 0"),
        ("self.list.all(x, self.n > 0) && (self.list.exists(x, x.n > 0) || self.m > 2)", "self.n > 0"),
        ("self.words.all(x, self.n > 0) && (!self.words.all(x, x == 'a') || self.m > 2)", "self.n > 0"),
        (
            "self.words.all(x, self.list.all(y, self.n > 0)) && (self.words.exists(x, self.list.exists(y, y.name == x)) || self.m > 2)",
            "self.n > 0",
        ),
        (
            "self.words.filter(x, x != 'a').all(x, self.n > 0) && (self.words.exists(x, x == 'b') || self.m > 2)",
            "self.n > 0",
        ),
        (
            "self.words.map(x, x + 'a').all(x, self.n > 0) && (self.words.map(x, x + 'a').exists(x, x == 'aa') || self.m > 2)",
            "self.n > 0",
        ),
        ("self.words.all(x, self.n > 0) && (self.words.exists_one(x, x == 'a') || self.m > 2)", "self.n > 0"),
        ("self.words.all(x, self.n > 0) && ('a' in self.words || self.m > 2)", "self.n > 0"),
        (
            "self.words.all(x, self.n > 0) && (self.words.filter(x, x == 'a').size() > 0 || self.m > 2)",
            "self.n > 0",
        ),
        ("self.words.all(i, x, self.list.filter(y, y == self.list[i]).size() == 1)", "size(self.list) > 0"),
        ("self.list.all(x, x.name == 'a')", "self.list.all(x, x.name == 'a') && size(self.list) > 0"),
    ] {
        assert!(!implies(premise, conclusion, &schema), "{premise} does not imply {conclusion}");
    }
}

/// Every pair of the rules above: where an implication is proved, no value contradicts it.
#[test]
fn no_value_contradicts_a_proof() {
    let schema = schema();
    let mut texts: Vec<&str> = IMPLICATIONS.iter().flat_map(|(one, other)| [*one, *other]).collect();
    texts.sort_unstable();
    texts.dedup();
    let formulas: Vec<Formula> = texts.iter().map(|text| holds(text, &schema)).collect();
    let (mut proved, mut values, mut different) = (0, 0, 0);
    for (text, premise) in texts.iter().zip(&formulas) {
        for (other, conclusion) in texts.iter().zip(&formulas).filter(|(other, _)| *other != text) {
            let is_proved = is_implied(&[premise], conclusion, &schema);
            proved += usize::from(is_proved);
            let lifted = LiftedExpression { holds: premise.clone(), fails: conclusion.clone() };
            let mut made = RuleValues::new(&rule(text, &schema), &lifted);
            for index in 0..60 {
                let value = made.make_value(index);
                let Some(value) = made.accepted_value(&value) else { continue };
                let scope = FormulaScope::new().with_root("self", from_schema(&value, &schema));
                let contradicts = scope.formula_holds(premise) && !scope.formula_holds(conclusion);
                assert!(!(is_proved && contradicts), "{text} implies {other}, and not for {value}");
                values += 1;
                different += usize::from(contradicts);
            }
        }
    }
    assert!(proved > 60 && values > 20_000 && different > 1_000, "{proved} {values} {different}");
}

#[test]
fn no_item_is_not_one_item() {
    let item = serde_json::json!({"type": "object", "properties": {"a": {"type": "integer"}, "s": {"type": "string"}}});
    let schema = serde_json::json!({"type": "object", "required": ["l"],
        "properties": {"l": {"type": "array", "maxItems": 2, "items": item}}});
    for rule in [
        "size(self.l) > 0 || self.l.exists_one(y, y.s.matches('^a'))",
        "size(self.l) > 0 || self.l.exists_one(y, y.a == 1)",
        "size(self.l) > 0 || self.l.filter(y, y.a == 1).size() > 0",
    ] {
        assert!(!implies("true", rule, &schema), "{rule}");
    }
}
