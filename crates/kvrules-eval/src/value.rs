//! Values as strings and as integers.

use std::borrow::Cow;
use std::cmp::Ordering;

use kvrules_ir::{Scalar, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::{BigInt, ToBigInt};
use serde_json::{Number, Value};

/// A value at a place, spelled out or not.
#[derive(Clone, Copy)]
pub(crate) enum EffectiveValue<'v> {
    /// The object has it; the type is what the catalog says.
    Spelled(&'v Value, ValueType),
    /// The catalog's default.
    Default(&'v Scalar, ValueType),
    /// The zero value of the type.
    Zero(ValueType),
}

impl<'v> EffectiveValue<'v> {
    /// The type of the value, as the catalog knows it.
    pub(crate) fn value_type(self) -> ValueType {
        match self {
            Self::Spelled(_, kind) | Self::Default(_, kind) | Self::Zero(kind) => kind,
        }
    }

    /// The value as text; objects and lists have none.
    pub(crate) fn text(self) -> Option<Cow<'v, str>> {
        Some(match self {
            Self::Spelled(Value::String(text), _) | Self::Default(Scalar::Text(text), _) => text.into(),
            Self::Spelled(Value::Bool(truth), _) | Self::Default(Scalar::Boolean(truth), _) => {
                if *truth { "true" } else { "false" }.into()
            }
            Self::Spelled(Value::Number(number), _) => number_text(number).into(),
            Self::Default(Scalar::Integer(integer), _) => integer.to_string().into(),
            Self::Zero(kind) => zero_text(kind)?.into(),
            Self::Spelled(Value::Null | Value::Array(_) | Value::Object(_), _) => return None,
        })
    }

    /// The number of code points of the value as text.
    pub(crate) fn length(self) -> Option<IntegerValue> {
        let length = self.text()?.chars().count();
        Some(IntegerValue::Small(i128::try_from(length).unwrap_or(i128::MAX)))
    }

    /// The value as integer, if it is one: a number without fraction, or a quantity of whole base units.
    pub(crate) fn integer(self) -> Option<IntegerValue> {
        match self {
            Self::Spelled(Value::Number(number), _) => number_integer(number),
            Self::Default(Scalar::Integer(integer), _) => Some(integer.into()),
            Self::Spelled(Value::String(text), ValueType::Quantity)
            | Self::Default(Scalar::Text(text), ValueType::Quantity) => quantity_integer(text),
            Self::Zero(kind) => (zero_text(kind)? == "0").then_some(IntegerValue::Small(0)),
            _ => None,
        }
    }
}

/// A whole number of any size. Those that fit are kept small, so that evaluating them allocates nothing.
pub(crate) enum IntegerValue {
    /// It fits.
    Small(i128),
    /// It may not fit. The quantity is whole.
    Large(Quantity),
}

impl IntegerValue {
    /// Compares this with a bound.
    pub(crate) fn compare(&self, bound: &BigInt) -> Ordering {
        match (self, i128::try_from(bound)) {
            (Self::Small(number), Ok(bound)) => number.cmp(&bound),
            (Self::Small(number), Err(_)) => BigInt::from(*number).cmp(bound),
            (Self::Large(quantity), _) => quantity.compare_integer(bound),
        }
    }

    /// Compares this with another.
    pub(crate) fn compare_whole(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(left), Self::Small(right)) => left.cmp(right),
            (_, Self::Small(right)) => self.compare(&BigInt::from(*right)),
            (Self::Small(_), Self::Large(_)) => other.compare_whole(self).reverse(),
            (Self::Large(left), Self::Large(right)) => left.cmp(right),
        }
    }
}

impl From<&BigInt> for IntegerValue {
    fn from(integer: &BigInt) -> Self {
        i128::try_from(integer).map_or_else(|_| Self::Large(Quantity::from(integer.clone())), Self::Small)
    }
}

/// The zero value of a type, as text.
fn zero_text(kind: ValueType) -> Option<&'static str> {
    match kind {
        ValueType::Integer | ValueType::Number | ValueType::IntOrString | ValueType::Quantity => Some("0"),
        ValueType::String | ValueType::Time => Some(""),
        ValueType::Boolean => Some("false"),
        ValueType::Object | ValueType::Map | ValueType::List | ValueType::Any => None,
    }
}

/// A number in its shortest decimal form, never with an exponent: `2`, `1.5`.
fn number_text(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(), // also minus zero
        Some(float) => float.to_string(),
        None => number.to_string(),
    }
}

/// The exact value of a number without fraction.
fn number_integer(number: &Number) -> Option<IntegerValue> {
    if let Some(small) = number.as_i128() {
        return Some(IntegerValue::Small(small));
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
    Some(IntegerValue::from(&float.to_bigint()?))
}

/// The value of a quantity of whole base units.
fn quantity_integer(text: &str) -> Option<IntegerValue> {
    if let Some(small) = plain_quantity(text) {
        return Some(IntegerValue::Small(small));
    }
    let quantity = Quantity::parse_trimmed(text).ok()?;
    quantity.is_integer().then_some(IntegerValue::Large(quantity))
}

/// The value of the quantities that are most often written, short digits and a binary suffix, without the
/// allocations that exact arithmetic on all the others needs.
pub(crate) fn plain_quantity(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text.strip_prefix(digits)? {
        "" => 0,
        "Ki" => 10,
        "Mi" => 20,
        "Gi" => 30,
        "Ti" => 40,
        _ => return None,
    };
    if digits.is_empty() || digits.len() > 18 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<i128>().ok().map(|number| number << shift)
}
