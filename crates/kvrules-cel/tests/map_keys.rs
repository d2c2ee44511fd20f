//! Keys of maps that are written out with numbers of several types, which only `dyn` lets through. The answers follow from
//! cel-go's common/types/map.go, `refValMapAccessor.Find`, and interpreter/interpretable.go, `evalMap.Eval`.
#![allow(clippy::unwrap_used, reason = "tests")]

use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression};
use kvrules_cel::value::Value;

#[track_caller]
fn assert_true(expression: &str) {
    let outcome =
        evaluate_expression(&kvrules_cel::parse(expression).unwrap(), &Scope::default(), CALL_LIMIT);
    assert!(matches!(outcome.result, Ok(Value::Bool(true))), "{expression}: {:?}", outcome.result);
}

#[track_caller]
fn assert_error(expression: &str, message: &str) {
    let outcome =
        evaluate_expression(&kvrules_cel::parse(expression).unwrap(), &Scope::default(), CALL_LIMIT);
    assert_eq!(outcome.result.unwrap_err().to_string(), message, "{expression}");
}

#[test]
fn equal_numbers_of_several_types_are_several_keys() {
    assert_true("size({dyn(1): 'a', dyn(1u): 'b', dyn(1.0): 'c'}) == 3");
    assert_true("{dyn(1): 'a', dyn(1u): 'b', dyn(1.0): 'c'}[1] == 'a'");
    assert_true("{dyn(1): 'a', dyn(1u): 'b', dyn(1.0): 'c'}[dyn(1u)] == 'b'");
    assert_true("{dyn(1): 'a', dyn(1u): 'b', dyn(1.0): 'c'}[dyn(1.0)] == 'c'");
    assert_true("size({dyn(1): 'a', dyn(1): 'b'}) == 1 && {dyn(1): 'a', dyn(1): 'b'}[1] == 'b'");
    assert_true("size({dyn(0.0): 'a', dyn(-0.0): 'b'}) == 1");
    assert_true("size({dyn(1.5): 'a', dyn('1.5'): 'b', dyn(true): 'c'}) == 3");
}

#[test]
fn a_key_is_found_by_an_equal_integer_of_another_type() {
    assert_true("{1: 'a'}[dyn(1u)] == 'a' && {1u: 'a'}[dyn(1)] == 'a'");
    assert_true("{1: 'a'}[dyn(1.0)] == 'a' && {1u: 'a'}[dyn(1.0)] == 'a'");
    assert_true("dyn(1.0) in {1: 'a'} && dyn(1u) in {1: 'a'} && dyn(1) in {1u: 'a'}");
    assert_true("!(dyn(1.5) in {1: 'a'}) && !(dyn(-1) in {1u: 'a'}) && !(dyn('1') in {1: 'a'})");
    // For a double, the key of type int is tried first.
    assert_true("{dyn(1u): 'b', dyn(1): 'a'}[dyn(1.0)] == 'a'");
}

#[test]
fn a_double_is_found_only_by_a_double() {
    assert_true("{dyn(1.5): 'a'}[dyn(1.5)] == 'a' && dyn(1.5) in {dyn(1.5): 'a'}");
    assert_true("{dyn(1.0): 'a'}[dyn(1.0)] == 'a' && {dyn(0.0): 'a'}[dyn(-0.0)] == 'a'");
    assert_true("!(dyn(1) in {dyn(1.0): 'a'}) && !(dyn(1u) in {dyn(1.0): 'a'})");
    assert_error("{dyn(1.0): 'a'}[dyn(1)] == 'a'", "no such key: 1");
}

#[test]
fn maps_are_equal_if_each_key_of_the_left_is_found_in_the_right() {
    assert_true("{dyn(1): 'a'} == {dyn(1u): 'a'}");
    assert_true("{dyn(1.0): 'a'} == {dyn(1): 'a'}");
    assert_true("{dyn(1): 'a'} != {dyn(1.0): 'a'}");
    // Two keys of the left side match the same key, and equality only looks up the keys of the left side.
    assert_true("{dyn(1): 'a', dyn(1u): 'a'} == {dyn(1): 'a', dyn(2): 'b'}");
    assert_true("{dyn(1): 'a', dyn(2): 'b'} != {dyn(1): 'a', dyn(1u): 'a'}");
}

#[test]
fn distinct_still_compares_across_types() {
    assert_true("[dyn(1), dyn(1u), dyn(1.0), dyn(1.5), dyn('1')].distinct().size() == 3");
}
