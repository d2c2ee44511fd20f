//! Comparison in filters: only of plain values, and only of kinds that agree.

use std::cmp::Ordering;

use kvrules_ir::FilterOperator;

use crate::value::Value;

/// A comparable value. A pointer is none, set or not (E117).
enum Plain<'a> {
    Boolean(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(&'a str),
}

/// True if the comparison is true; `None` if Go does not compare such values.
pub(super) fn compare(left: Value<'_>, operator: FilterOperator, right: Value<'_>) -> Option<bool> {
    let (left, right) = (comparable_value(left)?, comparable_value(right)?);
    match operator {
        FilterOperator::Equal => equal(&left, &right),
        FilterOperator::NotEqual => equal(&left, &right).map(|equal| !equal),
        FilterOperator::Less => order(&left, &right).map(Ordering::is_lt),
        FilterOperator::LessOrEqual => order(&left, &right).map(Ordering::is_le),
        FilterOperator::Greater => order(&left, &right).map(Ordering::is_gt),
        FilterOperator::GreaterOrEqual => order(&left, &right).map(Ordering::is_ge),
        FilterOperator::Unknown => None,
    }
}

fn comparable_value(value: Value<'_>) -> Option<Plain<'_>> {
    let boolean = value.boolean().map(Plain::Boolean);
    let int = value.int().map(Plain::Int);
    let uint = value.uint().map(Plain::Uint);
    let float = value.float().map(Plain::Float);
    boolean.or(int).or(uint).or(float).or_else(|| value.text().map(Plain::Text))
}

/// Returns the order of two values; `None` if Go does not order such values.
fn order(left: &Plain<'_>, right: &Plain<'_>) -> Option<Ordering> {
    let wide = |plain: &Plain<'_>| match plain {
        Plain::Int(int) => Some(i128::from(*int)),
        Plain::Uint(uint) => Some(i128::from(*uint)),
        _ => None,
    };
    match (left, right) {
        (Plain::Text(left), Plain::Text(right)) => Some(left.cmp(right)),
        // Only constants are floats, and no constant is without its place among the others.
        (Plain::Float(left), Plain::Float(right)) => left.partial_cmp(right),
        _ => Some(wide(left)?.cmp(&wide(right)?)),
    }
}

fn equal(left: &Plain<'_>, right: &Plain<'_>) -> Option<bool> {
    if let (Plain::Boolean(left), Plain::Boolean(right)) = (left, right) {
        return Some(left == right);
    }
    order(left, right).map(Ordering::is_eq)
}
