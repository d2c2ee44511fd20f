//! Comparisons of two values in an object.

use kvrules_ir::{Interval, Operand, OperandRelation, Place, Scalar, ValueType};

use super::context::{NegationContext, PredicateLowering};
use super::dialect::FieldTypes;
use super::expr::{Expr, Operator};
use super::place::PlaceReading;
use super::test::{is_int, unreported};
use super::unsupported::UnsupportedReason;
use super::{constant, quantity};

/// A side of a comparison.
struct ComparisonSide {
    /// It has a value where these hold.
    guards: Vec<Expr>,
    /// The value.
    value: Expr,
    /// Form of the value on the server.
    form: OperandForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandForm {
    /// An integer or a boolean, compared as it is.
    Plain,
    Quantity,
    /// A text; the server can estimate its size, or cannot.
    Text {
        sized: bool,
    },
}

/// Both sides have a value, and the relation holds between them.
pub(super) fn lower_comparison(
    lowering: &mut PredicateLowering<'_>,
    left: &Operand,
    relation: OperandRelation,
    right: &Operand,
    standing: NegationContext,
) -> Result<Expr, UnsupportedReason> {
    let plain = are_equal_as_they_are(left, relation, right);
    let (left, right) =
        (lower_operand(lowering, left, plain, standing)?, lower_operand(lowering, right, plain, standing)?);
    let (Some(left), Some(right)) = (left, right) else { return Ok(Expr::Bool(false)) };
    let guards = [left.guards, right.guards].concat();
    let operator = relation_operator(relation);
    let comparison = match (left.form, right.form) {
        (OperandForm::Plain, OperandForm::Plain) => left.value.apply_operator(operator, right.value),
        (OperandForm::Plain | OperandForm::Quantity, OperandForm::Plain | OperandForm::Quantity) => {
            // A quantity that equals a plain integer is an integer itself, so that comparison accepts no fractions.
            if operator != Operator::Equal || left.form == right.form {
                lowering.deviation.lets_in(standing, &quantity::accepted_fractions(&Interval::default()));
            }
            quantity::compare_quantities(
                as_quantity(left.value, left.form),
                operator,
                as_quantity(right.value, right.form),
            )
        }
        (OperandForm::Text { sized: false }, OperandForm::Text { sized: false })
            if lowering.scope().dialect.types == FieldTypes::Schema =>
        {
            return Err(UnsupportedReason::new(
                "the server cannot bound the cost of ordering integers as strings",
            ));
        }
        (OperandForm::Text { .. }, OperandForm::Text { .. }) => {
            left.value.apply_operator(operator, right.value)
        }
        _ => return Ok(Expr::Bool(false)),
    };
    Ok(Expr::all_of(guards.into_iter().chain([comparison])))
}

fn relation_operator(relation: OperandRelation) -> Operator {
    match relation {
        OperandRelation::AtLeast => Operator::AtLeast,
        OperandRelation::AtMost => Operator::AtMost,
        OperandRelation::Equal => Operator::Equal,
    }
}

/// Integers, and booleans, are equal exactly where their texts are.
fn are_equal_as_they_are(left: &Operand, relation: OperandRelation, right: &Operand) -> bool {
    let (Operand::Text(left), OperandRelation::Equal, Operand::Text(right)) = (left, relation, right) else {
        return false;
    };
    left.value_type == right.value_type && matches!(left.value_type, ValueType::Integer | ValueType::Boolean)
}

/// One operand; `None` if it never has a value.
fn lower_operand(
    lowering: &PredicateLowering<'_>,
    operand: &Operand,
    plain: bool,
    standing: NegationContext,
) -> Result<Option<ComparisonSide>, UnsupportedReason> {
    let place = operand.place();
    let reading = lowering.scope().read(place)?;
    Ok(match (operand, place.value_type) {
        (_, kind @ (ValueType::Number | ValueType::Time | ValueType::Any)) => return Err(unreported(kind)),
        (_, ValueType::Object | ValueType::Map | ValueType::List)
        | (Operand::Integer(_), ValueType::String | ValueType::Boolean) => None,
        (Operand::Integer(_), ValueType::Quantity) => Some(quantity_side(place, reading, standing)),
        (Operand::Integer(_), _) => Some(plain_side(place, reading)),
        (Operand::Text(_), _) if plain => Some(plain_side(place, reading)),
        (Operand::Text(_), _) => Some(text_side(place, reading)),
        (Operand::Length(_), _) => {
            let text = text_side(place, reading);
            Some(ComparisonSide {
                value: Expr::call_function("size", text.value),
                form: OperandForm::Plain,
                ..text
            })
        }
    })
}

fn plain_side(place: &Place, reading: PlaceReading) -> ComparisonSide {
    let default = constant::default_scalar(place).and_then(|default| match default {
        Scalar::Integer(number) => i64::try_from(&number).ok().map(Expr::Int),
        Scalar::Boolean(truth) => Some(Expr::Bool(truth)),
        Scalar::Text(_) => None,
    });
    let value = reading.value.clone();
    let mut side = or_default(reading, value, default, OperandForm::Plain);
    if place.value_type == ValueType::IntOrString {
        side.guards.push(is_int(&side.value));
    }
    side
}

fn quantity_side(place: &Place, reading: PlaceReading, standing: NegationContext) -> ComparisonSide {
    let default = constant::default_scalar(place);
    let whole = default.filter(|default| constant::constant_integer(default, place.value_type).is_some());
    let text = Expr::call_function("string", reading.value.clone());
    let text = or_default(
        reading,
        text,
        whole.map(|whole| Expr::Text(constant::constant_text(&whole))),
        OperandForm::Quantity,
    );
    let guard =
        (standing == NegationContext::Negated).then(|| Expr::call_function("isQuantity", text.value.clone()));
    let guards = text.guards.into_iter().chain(guard).collect();
    ComparisonSide { guards, value: Expr::call_function("quantity", text.value), form: text.form }
}

fn text_side(place: &Place, reading: PlaceReading) -> ComparisonSide {
    let value = reading.value.clone();
    let text = match place.value_type {
        ValueType::String => value,
        ValueType::Boolean => Expr::from_text("true").if_then_else(value, Expr::from_text("false")),
        _ => Expr::call_function("string", value),
    };
    let default =
        constant::default_scalar(place).map(|default| Expr::Text(constant::constant_text(&default)));
    or_default(reading, text, default, OperandForm::Text { sized: place.value_type != ValueType::Integer })
}

/// A value where the object spells it out, its default where it does not.
fn or_default(
    reading: PlaceReading,
    value: Expr,
    default: Option<Expr>,
    form: OperandForm,
) -> ComparisonSide {
    match default {
        None => ComparisonSide { guards: reading.guards(), value, form },
        Some(default) => ComparisonSide {
            guards: reading.exists,
            value: value.if_then_else(Expr::all_of(reading.spelled), default),
            form,
        },
    }
}

fn as_quantity(value: Expr, form: OperandForm) -> Expr {
    match form {
        OperandForm::Quantity => value,
        // A conversion with `string()` would hide the maximum size from the server's cost estimate.
        OperandForm::Plain | OperandForm::Text { .. } => {
            quantity::quantity_literal(&0.into()).call_method("add", value)
        }
    }
}
