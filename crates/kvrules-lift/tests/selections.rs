//! Sentences about the number of selected entries: what they require of entries whose condition may have no value.

use kvrules_lift::{SentencePart, definition_rules, describe_formula, lift_rule, require_decided_selections};
use serde_json::json;

/// The sentence about a rule of a list whose items may have `a` and `s` and have `r`, and of a map of integers.
fn sentence(rule: &str) -> Option<String> {
    let item = json!({"type": "object", "required": ["r"], "properties": {
        "a": {"type": "integer"}, "s": {"type": "string", "maxLength": 9}, "r": {"type": "integer", "maximum": 9, "minimum": 0},
    }});
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}], "properties": {
        "l": {"type": "array", "maxItems": 3, "items": item},
        "n": {"type": "array", "maxItems": 3, "items": {"type": "integer"}},
        "m": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "integer"}},
    }});
    let rules = definition_rules(&schema);
    let rule = rules.first()?;
    let lifted = lift_rule(rule, 50).ok()?;
    let complete = require_decided_selections(&lifted.formulas.holds, rule)?;
    let parts = describe_formula(&complete).into_iter().map(|part| match part {
        SentencePart::Words(words) => words,
        SentencePart::Code(code) => format!("`{code}`"),
    });
    Some(parts.collect())
}

#[test]
fn conditions_that_may_have_no_value_are_required_of_each_entry() {
    let cases = [
        (
            "self.l.exists_one(x, x.a <= 3)",
            "(for each `item` of `l`: `item.a` is present), and the number of entries `item` of `l` for which `item.a` is at most `3` is `1`",
        ),
        (
            "size(self.l.filter(x, x.s.indexOf('a') != 0)) < 2",
            "(for each `item` of `l`: `item.s.indexOf(\"a\")` has a value), and the number of entries `item` of `l` for which `item.s.indexOf(\"a\")` is not `0` is less than `2`",
        ),
        (
            "self.n.exists_one(x, -x < 2)",
            "(for each `item` of `n`: `-item` has a value), and the number of entries `item` of `n` for which `-item` is less than `2` is `1`",
        ),
        (
            "self.n.filter(x, 6 / x == 2).size() == 1",
            "(for each `item` of `n`: `(6 / item)` has a value), and the number of entries `item` of `n` for which `(6 / item)` is `2` is `1`",
        ),
        (
            "size(self.l) == 0 || self.l.filter(x, x.a == 1).size() == 1",
            "`l` is empty, or ((for each `item` of `l`: `item.a` is present) and the number of entries `item` of `l` for which `item.a` is `1` is `1`)",
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(sentence(rule).as_deref(), Some(expected), "{rule}");
    }
}

#[test]
fn conditions_with_a_value_for_each_entry_require_nothing() {
    for rule in [
        "self.l.exists_one(x, x.r <= 3)",
        "self.l.exists_one(x, has(x.a) && x.a <= 3)",
        "self.l.exists_one(x, !has(x.a) || x.a <= 3)",
        "self.l.filter(x, x.?a.orValue(0) == 3).size() == 1",
        "self.n.exists_one(x, x > 3)",
        "self.m.exists_one(k, self.m[k] > 3)",
    ] {
        let sentence = sentence(rule).expect("a sentence");
        assert!(sentence.starts_with("the number of entries"), "{rule}: {sentence}");
    }
}

#[test]
fn requirements_without_words_leave_no_sentence() {
    for rule in [
        "self.l.exists_one(x, x.r == 1 || x.a == 2)",
        "self.l.exists_one(x, self.n.exists(y, y == x.a))",
        "self.l.exists_one(x, self.n.exists_one(y, y == x.a))",
    ] {
        assert_eq!(sentence(rule), None, "{rule}");
    }
}
