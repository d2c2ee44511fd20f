//! Meaning of each kind of predicate: a predicate, an object, and the expected result.

use kvrules_eval::predicate_holds;
use kvrules_ir::{
    Interval, Operand, OperandRelation, Place, Predicate, RegexPattern, Scalar, ValueTest, ValueType,
};
use kvrules_kubernetes::quantity::Quantity;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{defaulted, integer, one_of, place, test, typed, within};

/// Checks one predicate on several objects.
fn check(predicate: &Predicate, cases: impl IntoIterator<Item = (Value, bool)>) {
    for (object, expected) in cases {
        assert_eq!(predicate_holds(predicate, &object), expected, "{predicate:#?}\non {object}");
    }
}

fn each(list: &str, holds: Predicate) -> Predicate {
    Predicate::Each { list: typed(list, ValueType::List), holds: Box::new(holds) }
}

fn some(list: &str, holds: Predicate) -> Predicate {
    Predicate::Some { list: typed(list, ValueType::List), holds: Box::new(holds) }
}

fn present(text: &str) -> Predicate {
    Predicate::Present(place(text))
}

fn compare(left: Operand, relation: OperandRelation, right: Operand) -> Predicate {
    Predicate::Compare { left, relation, right }
}

fn quantity(text: &str) -> Place {
    typed(text, ValueType::Quantity)
}

#[test]
fn connectives_mean_what_they_say() {
    use Predicate::{All, Any, False, Not, True};
    for (predicate, expected) in [
        (True, true),
        (False, false),
        (All(vec![]), true),
        (All(vec![True, False]), false),
        (Any(vec![]), false),
        (Any(vec![False, True]), true),
        (Not(Box::new(False)), true),
    ] {
        check(&predicate, [(json!({}), expected), (json!(null), expected)]);
    }
}

#[test]
fn optional_steps_exist_where_the_object_has_them() {
    check(
        &present("a?.b?"),
        [
            (json!({"a": {"b": 1}}), true),
            (json!({"a": {"b": {}}}), true),
            (json!({"a": {"b": null}}), false),
            (json!({"a": {}}), false),
            (json!({"a": null}), false),
            (json!({}), false),
            (json!({"a": "b"}), false),
            (json!({"a": [{"b": 1}]}), false),
        ],
    );
}

#[test]
fn defaulted_and_required_steps_exist_with_their_parent() {
    for text in ["a.b", "a!.b!", "a.b!"] {
        check(
            &present(text),
            [
                (json!({}), true),
                (json!({"a": null}), true),
                (json!({"a": {}}), true),
                (json!({"a": {"b": null}}), true),
                (json!({"a": {"b": 1}}), true),
                (json!({"a": 1}), false),
                (json!({"a": []}), false),
                (json!(null), false),
                (json!("a"), false),
            ],
        );
    }
    check(&present("a?.b"), [(json!({}), false), (json!({"a": {}}), true), (json!({"a": null}), false)]);
    check(&present("a.b?"), [(json!({}), false), (json!({"a": {}}), false), (json!({"a": {"b": 0}}), true)]);
    check(&present("a.b?.c"), [(json!({}), false), (json!({"a": {"b": {}}}), true)]);
}

#[test]
fn keys_and_items_exist_where_the_value_has_them() {
    check(
        &present("a.%x.y/z"),
        [
            (json!({"a": {"x": {"y/z": 1}}}), true),
            (json!({"a": {"x": {}}}), true),
            (json!({"a": {}}), false),
            (json!({}), false),
            (json!({"a": [1]}), false),
        ],
    );
    check(&present("a.#1"), [(json!({"a": [1, 2]}), true), (json!({"a": [1]}), false), (json!({}), false)]);
    check(&present("a.#-2"), [(json!({"a": [1, 2]}), true), (json!({"a": [1]}), false)]);
    check(&present("a.#0"), [(json!({"a": [null]}), false), (json!({"a": {"0": 1}}), false)]);
    check(
        &test(typed("a.#-1", ValueType::Integer), integer(2, 2)),
        [(json!({"a": [1, 2]}), true), (json!({"a": [2, 1]}), false)],
    );
    check(&present("a.#-9223372036854775808"), [(json!({"a": [1]}), false)]);
}

#[test]
fn what_is_not_spelled_out_has_its_default() {
    let bus = defaulted("disk?.bus", ValueType::String, Scalar::Text("sata".to_owned()));
    check(
        &test(bus, one_of(["sata"])),
        [
            (json!({}), false),
            (json!({"disk": {}}), true),
            (json!({"disk": {"bus": null}}), true),
            (json!({"disk": {"bus": "sata"}}), true),
            (json!({"disk": {"bus": ""}}), false),
        ],
    );
    let cores = defaulted("cpu.cores", ValueType::Integer, Scalar::Integer(1.into()));
    check(&test(cores.clone(), integer(1, 1)), [(json!({}), true), (json!({"cpu": {"cores": 2}}), false)]);
    check(&test(cores, one_of(["1"])), [(json!({}), true)]);
    let memory = defaulted("memory", ValueType::Quantity, Scalar::Text("1Ki".to_owned()));
    check(&test(memory.clone(), integer(1024, 1024)), [(json!({}), true)]);
    check(&test(memory, one_of(["1Ki"])), [(json!({}), true)]);
    let flag = defaulted("flag", ValueType::Boolean, Scalar::Boolean(true));
    check(&test(flag, one_of(["true"])), [(json!({}), true), (json!({"flag": false}), false)]);
}

#[test]
fn what_has_no_default_has_the_zero_value_of_its_type() {
    for (kind, text) in [
        (ValueType::Integer, "0"),
        (ValueType::IntOrString, "0"),
        (ValueType::Number, "0"),
        (ValueType::Quantity, "0"),
        (ValueType::String, ""),
        (ValueType::Time, ""),
        (ValueType::Boolean, "false"),
    ] {
        check(&test(typed("a.b", kind), one_of([text])), [(json!({}), true), (json!({"a": 1}), false)]);
        check(&test(typed("a", kind), integer(0, 0)), [(json!({}), text == "0")]);
    }
    for kind in [ValueType::Object, ValueType::Map, ValueType::List, ValueType::Any] {
        check(&test(typed("a", kind), ValueTest::Length(within(None, None))), [(json!({}), false)]);
        check(&Predicate::Present(typed("a", kind)), [(json!({}), true)]);
    }
}

#[test]
fn each_holds_for_absent_lists_and_some_does_not() {
    let is_a = || test(place("@0"), one_of(["a"]));
    let cases = [
        (json!({}), true, false),
        (json!({"l": null}), true, false),
        (json!({"l": []}), true, false),
        (json!({"l": [null]}), true, false),
        (json!({"l": {"x": "a"}}), true, false),
        (json!({"l": "a"}), true, false),
        (json!({"l": ["a"]}), true, true),
        (json!({"l": ["a", null]}), true, true),
        (json!({"l": ["a", "b"]}), false, true),
        (json!({"l": ["b", {}]}), false, false),
    ];
    for list in ["l?", "l", "l!"] {
        check(&each(list, is_a()), cases.clone().map(|(object, each, _)| (object, each)));
        check(&some(list, is_a()), cases.clone().map(|(object, _, some)| (object, some)));
    }
}

#[test]
fn inner_quantifiers_see_outer_elements() {
    // Each inner `n` equals the outer `n`, or the root's.
    let same = |left: &str, right: &str| {
        compare(
            Operand::Integer(typed(left, ValueType::Integer)),
            OperandRelation::Equal,
            Operand::Integer(typed(right, ValueType::Integer)),
        )
    };
    check(
        &each("outer", each("@0.inner", same("@0.n", "@1.n"))),
        [
            (
                json!({"outer": [{"n": 1, "inner": [{"n": 1}]}, {"n": 2, "inner": [{"n": 2}, {"n": 2}]}]}),
                true,
            ),
            (json!({"outer": [{"n": 1, "inner": [{"n": 1}]}, {"n": 2, "inner": [{"n": 1}]}]}), false),
            (json!({"outer": [{"n": 1}, 7]}), true),
            (json!({"outer": [{"inner": [{}]}]}), true),
        ],
    );
    check(
        &some("outer", each("@0.inner", same("@0.n", "n"))),
        [
            (json!({"n": 3, "outer": [{"inner": [{"n": 4}]}, {"inner": [{"n": 3}]}]}), true),
            (json!({"n": 3, "outer": [{"inner": [{"n": 4}]}]}), false),
        ],
    );
    // A list of the enclosing element, and an element that no quantifier names.
    check(
        &each("outer", some("@0.inner", some("@1.inner", test(place("@0"), one_of(["x"]))))),
        [(json!({"outer": [{"inner": ["y", "x"]}]}), true), (json!({"outer": [{"inner": ["y"]}]}), false)],
    );
    check(&present("@0"), [(json!({}), false)]);
    check(&some("l", present("@1")), [(json!({"l": [1]}), false)]);
}

#[test]
fn integers_are_exact() {
    let big = i64::MAX;
    let at = |value: Value| json!({"n": value});
    check(
        &test(typed("n", ValueType::Integer), integer(2, big)),
        [
            (at(json!(2)), true),
            (at(json!(1)), false),
            (at(json!(2.0)), true),
            (at(json!(2.5)), false),
            (at(json!(1e3)), true),
            (at(json!(-2)), false),
            (at(json!(big)), true),
            (at(json!(9_223_372_036_854_775_808_u64)), false),
            (at(json!(u64::MAX)), false),
            (at(json!(1e300)), false),
            (at(json!("2")), false),
            (at(json!(true)), false),
            (at(json!([2])), false),
        ],
    );
    let above = ValueTest::Integer(Interval { min: "9007199254740993".parse().ok(), max: None });
    check(
        &test(typed("n", ValueType::Integer), above),
        [(at(json!(9_007_199_254_740_992_i64)), false), (at(json!(9_007_199_254_740_993_i64)), true)],
    );
    let wide = ValueTest::Integer(Interval { min: (format!("1{}", "0".repeat(60))).parse().ok(), max: None });
    check(
        &test(typed("n", ValueType::Integer), wide.clone()),
        [(at(json!(1e61)), true), (at(json!(1e59)), false), (at(json!(u64::MAX)), false)],
    );
    check(
        &test(quantity("n"), wide),
        [(at(json!("1e60")), true), (at(json!("1e59")), false), (at(json!("1e99999999")), true)],
    );
}

#[test]
fn quantities_count_in_base_units() {
    let cases = [
        ("1Gi", true),
        ("1.5Gi", true),
        (" 1.5Gi ", true),
        ("1610612736", true),
        ("1610612737", false),
        ("1073741823", false),
        ("1.1Gi", false), // 1181116006.4
        ("1.2G", true),
        ("1200000000000m", true),
        ("100m", false),
        ("1Gib", false),
        ("-1Gi", false),
        ("", false),
    ];
    let predicate = test(quantity("m"), integer(1 << 30, 3 << 29));
    check(&predicate, cases.map(|(text, expected)| (json!({"m": text}), expected)));
    check(
        &predicate,
        [
            (json!({"m": 1_073_741_824}), true),
            (json!({"m": 1_073_741_824.5}), false),
            (json!({"m": 1.5e9}), true),
        ],
    );
    // Only quantities are read out of strings.
    for kind in [ValueType::IntOrString, ValueType::Integer, ValueType::String, ValueType::Any] {
        check(&test(typed("m", kind), integer(1, 9)), [(json!({"m": "5"}), false), (json!({"m": 5}), true)]);
    }
    check(
        &test(quantity("m"), one_of(["1.50Gi"])),
        [(json!({"m": "1.50Gi"}), true), (json!({"m": "1.5Gi"}), false)],
    );
}

#[test]
fn lengths_count_code_points() {
    let length = |min, max| test(place("s?"), ValueTest::Length(within(Some(min), Some(max))));
    check(
        &length(2, 3),
        [
            (json!({"s": "ab"}), true),
            (json!({"s": "äöü"}), true),
            (json!({"s": "𝄞𝄞𝄞"}), true),
            (json!({"s": "e\u{301}e\u{301}"}), false),
            (json!({"s": ""}), false),
            (json!({"s": 12}), true),
            (json!({"s": 2.0}), false),
            (json!({"s": true}), false),
            (json!({"s": {}}), false),
            (json!({}), false),
        ],
    );
    check(&length(4, 5), [(json!({"s": true}), true), (json!({"s": false}), true)]);
}

#[test]
fn numbers_and_booleans_have_text() {
    for (value, text) in [
        (json!(2), "2"),
        (json!(2.0), "2"),
        (json!(1.5), "1.5"),
        (json!(-0.0), "0"),
        (json!(-3), "-3"),
        (json!(1e21), "1000000000000000000000"),
        (json!(1e-7), "0.0000001"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(true), "true"),
        (json!(false), "false"),
        (json!("True"), "True"),
    ] {
        let pattern = ValueTest::Matches(RegexPattern(format!(r"^{text}$")));
        check(&test(place("v"), one_of([text])), [(json!({"v": value.clone()}), true)]);
        check(&test(place("v"), pattern), [(json!({"v": value}), true)]);
    }
    for value in [json!([]), json!({}), json!(["2"]), json!(null)] {
        let any = ValueTest::Matches(RegexPattern(String::new()));
        check(&test(place("v?"), any), [(json!({"v": value}), false)]);
    }
}

#[test]
fn patterns_search_unanchored_in_re2() {
    let matches = |pattern: &str| test(place("s?"), ValueTest::Matches(RegexPattern(pattern.to_owned())));
    check(
        &matches("q35|pc$"),
        [
            (json!({"s": "pc-q35-2.10"}), true),
            (json!({"s": "pc"}), true),
            (json!({"s": "pc-i440"}), false),
            (json!({}), false),
        ],
    );
    check(&matches(r"^\z"), [(json!({"s": ""}), true)]);
    // In RE2, `\d` and `\b` are about ASCII.
    check(&matches(r"\d"), [(json!({"s": "٣"}), false), (json!({"s": "3"}), true)]);
    // An expression that RE2 rejects matches nothing, and does not affect the other alternatives.
    check(&matches("(?=a)"), [(json!({"s": "a"}), false)]);
    check(&Predicate::Any(vec![matches("(?=a)"), matches("a")]), [(json!({"s": "a"}), true)]);
}

#[test]
fn comparisons_need_two_values_of_a_kind() {
    use OperandRelation::{AtLeast, AtMost, Equal};
    let integer = |text| Operand::Integer(quantity(text));
    let text = |text| Operand::Text(place(text));
    let length = |text| Operand::Length(place(text));
    let object = json!({
        "gi": "1Gi", "mi": "1024Mi", "half": "500m", "n": 3, "s": "äöü", "t": "b", "f": 3.0, "three": "3",
        "huge": "1e50", "huger": "10e50",
    });
    for (left, relation, right, expected) in [
        (integer("gi?"), Equal, integer("mi?"), true),
        (text("gi?"), Equal, text("mi?"), false),
        (integer("gi?"), AtLeast, integer("n?"), true),
        (integer("gi?"), AtMost, integer("n?"), false),
        (integer("half?"), AtMost, integer("n?"), false),
        (integer("none?"), Equal, integer("none?"), false),
        (integer("none"), Equal, integer("gone"), true),
        (length("s?"), Equal, integer("n?"), true),
        (length("s?"), AtLeast, length("t?"), true),
        (text("n?"), Equal, text("f?"), true),
        (text("n?"), Equal, text("three?"), true),
        (text("t?"), AtLeast, text("s?"), false),
        (text("n?"), Equal, integer("n?"), false),
        (integer("huge?"), AtLeast, integer("n?"), true),
        (integer("n?"), AtLeast, integer("huge?"), false),
        (integer("huge?"), AtMost, integer("huger?"), true),
    ] {
        check(&compare(left, relation, right), [(object.clone(), expected)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_spelling_of_a_quantity_has_its_exact_value(
        text in r"[ ]?[+-]?([0-9]{1,20}|[0-9]{0,3}\.[05]{0,2})(|[KMGTPE]i|[numkMGTPE]|e[0-9]|E-1)[ ]?",
    ) {
        let value = Quantity::parse_trimmed(&text).ok().and_then(|quantity| quantity.to_integer());
        let within = |min: Option<num_bigint::BigInt>, max| {
            predicate_holds(&test(quantity("m"), ValueTest::Integer(Interval { min, max })), &json!({"m": text}))
        };
        prop_assert_eq!(within(None, None), value.is_some());
        if let Some(value) = value {
            prop_assert!(within(Some(value.clone()), Some(value.clone())));
            prop_assert!(!within(Some(value.clone() + 1), None) && !within(None, Some(value - 1)));
        }
    }
}
