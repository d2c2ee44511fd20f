//! Work that is done once for an expression, however often it is evaluated. The counts are those of the process, so this is the only
//! test here.
#![allow(clippy::unwrap_used, reason = "tests")]

use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::Value;
use kvrules_cel::{parse, work};

#[test]
fn lists_of_literals_are_made_once_for_all_evaluations() {
    let expression = parse("self in ['a', 'b', 'c'] || [1, 2].exists(i, string(i) == self)").unwrap();
    let before = work::literal_lists();
    for (text, expected) in [("a", true), ("c", true), ("2", true), ("d", false), ("3", false)] {
        let mut scope = Scope::default();
        scope.variables.insert("self", (text.into(), ExpressionShape::Known));
        let outcome = evaluate_expression(&expression, &scope, CALL_LIMIT);
        assert!(matches!(outcome.result, Ok(Value::Bool(it)) if it == expected), "{text}: {outcome:?}");
    }
    assert_eq!(work::literal_lists() - before, 2);
}
