//! Facts about types, messages and costs that the recorded definitions do not happen to show.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::cost::expression_cost;
use kvrules_cel::types::{Type, declare_schema};
use kvrules_cel::{issue, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "s": {"type": "string", "maxLength": 10},
        "i": {"type": "integer"},
        "p": {"x-kubernetes-int-or-string": true},
        "l": {"type": "array", "maxItems": 3, "items": {"type": "integer"}},
        "m": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "string", "maxLength": 5}},
        "o": {"type": "object", "properties": {"namespace": {"type": "string", "maxLength": 4}}},
    }})
}

/// The type of an expression, or what the server says is wrong.
fn outcome(text: &str) -> String {
    let env = TypeEnvironment::for_rule(&declare_schema(&schema(), false).unwrap(), false);
    match check_expression(&parse(text).unwrap(), &env) {
        Ok(checked) => checked.result_type().to_string(),
        Err(issues) => issues.iter().map(|issue| issue.message.clone()).collect::<Vec<_>>().join("; "),
    }
}

fn cost_under(schema: &Value, rule: &str) -> u64 {
    let declaration = declare_schema(schema, false).unwrap();
    let env = TypeEnvironment::for_rule(&declaration, false);
    expression_cost(&check_expression(&parse(rule).unwrap(), &env).unwrap(), &declaration)
}

fn cost(rule: &str) -> u64 {
    cost_under(&schema(), rule)
}

#[test]
fn macros_have_the_types_of_what_they_stand_for() {
    let cases = [
        ("self.l.map(x, string(x))", "list(string)"),
        ("self.l.filter(x, x > 1)", "list(int)"),
        ("self.m.map(k, size(k))", "list(int)"),
        ("self.l.transformList(i, v, v + i)", "list(int)"),
        ("self.l.transformMap(i, v, 'a')", "map(int, string)"),
        ("self.m.transformMapEntry(k, v, {v: k})", "map(string, string)"),
        ("self.l.sortBy(x, -x)", "list(int)"),
        ("self.?s.optMap(x, size(x))", "optional_type(int)"),
        ("self.?s.optFlatMap(x, optional.of(1))", "optional_type(int)"),
        ("self.l.all(x, x)", "expected type 'bool' but found 'int'"),
        ("[]", "list(dyn)"),
        ("[[], [1]]", "list(list(int))"),
        ("self.p", "dyn"),
        ("type(self.i)", "type(int)"),
        ("self.?m[?'a']", "optional_type(string)"),
        ("self.l.first()", "optional_type(int)"),
    ];
    for (text, expected) in cases {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

#[test]
fn literals_are_of_one_type_except_in_templates() {
    assert_eq!(outcome("[1, 'a']"), "expected type 'int' but found 'string'");
    assert_eq!(outcome("[self.p, 1]"), "expected type 'dyn' but found 'int'");
    assert_eq!(outcome("'%s %s'.format([self.p, 1])"), "string");
}

#[test]
fn templates_are_held_against_their_values() {
    assert_eq!(outcome("'%d'.format([])"), "index 0 out of range");
    assert_eq!(
        outcome("'%z'.format([1])"),
        "could not parse formatting clause: unrecognized formatting clause \"z\""
    );
    assert_eq!(
        outcome("'%d'.format(['a'])"),
        "error during formatting: decimal clause can only be used on integers, was given string"
    );
    assert_eq!(
        outcome("'%%'.format([1])"),
        "too many arguments supplied to string.format (expected 0, got 1)"
    );
    assert_eq!(outcome("'%.2f'.format([1.5])"), "string");
}

#[test]
fn literal_times_must_be_times() {
    for wrong in ["duration('1')", "duration('1d')", "duration('')", "duration('999999999h')"] {
        assert_eq!(outcome(wrong), "invalid duration argument", "{wrong}");
    }
    for wrong in ["timestamp('2020-13-01T00:00:00Z')", "timestamp('2020-01-01')", "timestamp(999999999999)"] {
        assert_eq!(outcome(wrong), "invalid timestamp argument", "{wrong}");
    }
    assert_eq!(outcome("duration('-1h2.5m') < duration('1us')"), "bool");
    assert_eq!(outcome("timestamp('2020-02-29T23:59:59.5+01:00')"), "timestamp");
}

#[test]
fn words_of_the_language_select_the_fields_they_name() {
    assert_eq!(outcome("self.o.namespace"), "string");
    assert_eq!(outcome("self.o.__namespace__"), "string");
    assert_eq!(outcome("self.o.package"), "undefined field 'package'");
    // The size of a field is looked up by its escaped name, so under the plain one it is not known.
    assert_eq!(cost("self.o.__namespace__.matches('a')"), 3 + 2);
    assert!(cost("self.o.namespace.matches('a')") > 1 << 60);
}

#[test]
fn an_inner_loop_counts_what_its_body_looked_at_last() {
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array", "maxItems": 2, "items": {
        "type": "object", "properties": {
            "cells": {"type": "array", "maxItems": 1000, "items": {"type": "integer"}},
            "name": {"type": "string", "maxLength": 1},
        },
    }}}});
    let cost = |rule| cost_under(&schema, rule);
    // The cost estimate confuses the path of `row.cells` with that of `row.name`, whose size is 4.
    let by_name = cost("self.rows.all(row, row.cells.all(cell, row.name == ''))");
    assert_eq!(by_name, 2 + 2 * (3 + (2 + 4 * (3 + 2) + 1)) + 1);
    assert_eq!(
        cost("self.rows.all(row, row.cells.all(cell, cell == 1))"),
        2 + 2 * (3 + (2 + 1000 * (3 + 1) + 1)) + 1
    );
}

#[test]
fn long_expressions_are_checked_and_priced() {
    let rule = vec!["self.i > 1"; 2000].join(" && ");
    assert_eq!(cost(&rule), 3 * 2000);
    let sum = format!("{} > 1", vec!["self.i"; 200].join(" + "));
    assert_eq!(cost(&sum), 2 * 200 + 199 + 1);
}

#[test]
fn mistakes_are_shown_under_the_line() {
    let env = TypeEnvironment::new().with_variable("object", Type::Dyn);
    let text = "object.a ==\n  nope";
    let issues = check_expression(&parse(text).unwrap(), &env).unwrap_err();
    assert_eq!(
        issue::render_issues(text, &issues),
        "ERROR: <input>:2:3: undeclared reference to 'nope' (in container '')\n |   nope\n | ..^"
    );
}

proptest! {
    #[test]
    fn every_expression_has_a_type_or_mistakes(
        text in "(self|x|[0-9]|'a'|\\.|\\?|[a-z]|\\(|\\)|\\[|\\]|==|&&|\\+|,|all|map|has|size| ){1,12}"
    ) {
        let Ok(parsed) = parse(&text) else { return Ok(()) };
        let env = TypeEnvironment::for_rule(&declare_schema(&schema(), false).unwrap(), false);
        if let Err(issues) = check_expression(&parsed, &env) {
            prop_assert!(!issues.is_empty());
        }
    }
}
