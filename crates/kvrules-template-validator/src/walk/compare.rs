//! Comparison in filters: only of plain values, and only of kinds that agree.

use std::cmp::Ordering;

use kvrules_ir::FilterOperator;

use crate::value::GoValue;

/// A comparable value. A pointer is none, set or not (E117).
enum ComparedValue<'a> {
    Boolean(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(&'a str),
}

/// True if the comparison is true; `None` if Go does not compare such values.
// client-go third_party/forked/golang/template/funcs.go: Equal, NotEqual, Less, LessEqual, Greater and GreaterEqual.
pub(super) fn compare_values(
    left: GoValue<'_>,
    operator: FilterOperator,
    right: GoValue<'_>,
) -> Option<bool> {
    let (left, right) = (comparable_value(left)?, comparable_value(right)?);
    match operator {
        FilterOperator::Equal => equal_values(&left, &right),
        FilterOperator::NotEqual => equal_values(&left, &right).map(|equal| !equal),
        FilterOperator::Less => compare_order(&left, &right).map(Ordering::is_lt),
        FilterOperator::LessOrEqual => compare_order(&left, &right).map(Ordering::is_le),
        FilterOperator::Greater => compare_order(&left, &right).map(Ordering::is_gt),
        FilterOperator::GreaterOrEqual => compare_order(&left, &right).map(Ordering::is_ge),
        // client-go util/jsonpath/jsonpath.go, JSONPath.evalFilter reports an unknown operator, after both sides (E113).
        FilterOperator::Unknown => None,
    }
}

// client-go third_party/forked/golang/template/funcs.go, basicKind.
fn comparable_value(value: GoValue<'_>) -> Option<ComparedValue<'_>> {
    let boolean = value.boolean().map(ComparedValue::Boolean);
    let int = value.int().map(ComparedValue::Int);
    let uint = value.uint().map(ComparedValue::Uint);
    let float = value.float().map(ComparedValue::Float);
    boolean.or(int).or(uint).or(float).or_else(|| value.text().map(ComparedValue::Text))
}

/// Returns the order of two values; `None` if Go does not order such values.
fn compare_order(left: &ComparedValue<'_>, right: &ComparedValue<'_>) -> Option<Ordering> {
    // Less and Equal compare a signed integer with an unsigned one, but no integer with a float (E119).
    let wide = |plain: &ComparedValue<'_>| match plain {
        ComparedValue::Int(int) => Some(i128::from(*int)),
        ComparedValue::Uint(uint) => Some(i128::from(*uint)),
        _ => None,
    };
    match (left, right) {
        (ComparedValue::Text(left), ComparedValue::Text(right)) => Some(left.cmp(right)),
        // Only constants are floats, and no constant is NaN.
        (ComparedValue::Float(left), ComparedValue::Float(right)) => left.partial_cmp(right),
        _ => Some(wide(left)?.cmp(&wide(right)?)),
    }
}

// Equal takes booleans; for Less they are an error.
fn equal_values(left: &ComparedValue<'_>, right: &ComparedValue<'_>) -> Option<bool> {
    if let (ComparedValue::Boolean(left), ComparedValue::Boolean(right)) = (left, right) {
        return Some(left == right);
    }
    compare_order(left, right).map(Ordering::is_eq)
}
