//! Defaults of a schema as constants.

use kvrules_ir::{Scalar, ValueType};
use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::keywords::describe_value;
use super::problem::SchemaProblem;

/// The constant that a default is; none if it is an object or a list.
pub(super) fn read_default(
    default: Node<'_>,
    value_type: ValueType,
) -> Result<Option<Scalar>, SchemaProblem> {
    let text = || Some(Scalar::Text(default.text().to_owned()));
    match (value_type, default.kind()) {
        (ValueType::Integer | ValueType::Number | ValueType::IntOrString, SyntaxKind::Number) => {
            read_number(default, value_type)
        }
        (ValueType::Any, SyntaxKind::Number) => read_number(default, ValueType::Number),
        (ValueType::Quantity, SyntaxKind::Number | SyntaxKind::String)
        | (
            ValueType::String | ValueType::Time | ValueType::IntOrString | ValueType::Any,
            SyntaxKind::String,
        ) => Ok(text()),
        (ValueType::Boolean | ValueType::Any, SyntaxKind::True) => Ok(Some(Scalar::Boolean(true))),
        (ValueType::Boolean | ValueType::Any, SyntaxKind::False) => Ok(Some(Scalar::Boolean(false))),
        (ValueType::Object | ValueType::Map | ValueType::Any, SyntaxKind::Map)
        | (ValueType::List | ValueType::Any, SyntaxKind::List) => Ok(None),
        _ => Err(type_problem(default, value_type)),
    }
}

/// A number: whole ones as they are, others as the text that they have.
fn read_number(default: Node<'_>, value_type: ValueType) -> Result<Option<Scalar>, SchemaProblem> {
    /// Greatest integer up to which floats have no gaps.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let text = default.text();
    if let Ok(whole) = text.parse::<BigInt>() {
        return Ok(Some(Scalar::Integer(whole)));
    }
    let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
    match float {
        Some(float) if float.fract() == 0.0 && float.abs() < EXACT => {
            Ok(format!("{float:.0}").parse().ok().map(Scalar::Integer))
        }
        // The shortest decimal form, because that is the text of such a number elsewhere.
        Some(float) if value_type == ValueType::Number => Ok(Some(Scalar::Text(float.to_string()))),
        _ => Err(type_problem(default, value_type)),
    }
}

fn type_problem(default: Node<'_>, value_type: ValueType) -> SchemaProblem {
    let found = match default.kind() {
        SyntaxKind::Number => format!("the number `{}`", default.text()),
        _ => describe_value(default).to_owned(),
    };
    let message = format!("the default is {found}, and the type is {}", value_type.as_str());
    SchemaProblem::new(default.span(), message).help("give a default of the type, or leave it out")
}
