//! Known facts of the value at one place.

use kvrules_ir::{Interval, Place, Scalar, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;

use crate::unknown_reason::Conflict;

/// Something that is so of a value.
#[derive(Clone, Debug)]
pub(crate) enum ValueFact<'p> {
    /// It is an integer between these.
    Integer(Option<BigInt>, Option<BigInt>),
    /// It is not an integer.
    NotInteger,
    /// It has a text, with so many code points.
    Length(Option<BigInt>, Option<BigInt>),
    /// It has no text.
    NoText,
    /// It has a text that passes.
    Passes(&'p ValueTest),
    /// It has a text that does not pass.
    Fails(&'p ValueTest),
}

/// Known facts of a value.
#[derive(Clone, Debug)]
pub(crate) struct KnownFacts<'p> {
    /// Type that the catalog declares.
    pub(crate) value_type: ValueType,
    /// True if the default of the place is not a value of its type.
    pub(crate) is_odd: bool,
    /// True if it is known to be an integer, false if it is known not to be one; `integer` has the bounds.
    pub(crate) is_integer: Option<bool>,
    pub(crate) integer: Interval,
    /// True if it is known to have a text, false if it is known not to have one; `length` has the bounds.
    pub(crate) has_text: Option<bool>,
    pub(crate) length: Interval,
    /// Sets and patterns that the text is in, or is not.
    pub(crate) texts: Vec<(&'p ValueTest, bool)>,
}

impl<'p> ValueFact<'p> {
    /// It passes a test.
    pub(crate) fn from_test(test: &'p ValueTest) -> Self {
        match test {
            ValueTest::Integer(interval) => Self::Integer(interval.min.clone(), interval.max.clone()),
            ValueTest::Length(interval) => Self::Length(interval.min.clone(), interval.max.clone()),
            ValueTest::OneOf(_) | ValueTest::Matches(_) => Self::Passes(test),
        }
    }
}

impl<'p> KnownFacts<'p> {
    /// Nothing is known but the type.
    pub(crate) fn new(place: &Place) -> Self {
        Self {
            value_type: place.value_type,
            is_odd: is_odd(place),
            is_integer: None,
            integer: Interval::default(),
            has_text: None,
            length: Interval::default(),
            texts: Vec::new(),
        }
    }

    /// Adds what is so.
    pub(crate) fn add_fact(&mut self, fact: ValueFact<'p>) -> Result<(), Conflict> {
        if !self.value_type.is_scalar() || !may_lack(self.value_type, &fact) {
            return Err(Conflict);
        }
        match fact {
            ValueFact::Integer(min, max) => {
                narrow_interval(&mut self.integer, min, max)?;
                self.settle_integer(true)
            }
            ValueFact::NotInteger => self.settle_integer(false),
            ValueFact::Length(min, max) => {
                narrow_interval(&mut self.length, min, max)?;
                settle_flag(&mut self.has_text, true)
            }
            ValueFact::NoText => settle_flag(&mut self.has_text, false),
            ValueFact::Passes(test) | ValueFact::Fails(test) => {
                let passes = matches!(fact, ValueFact::Passes(_));
                if self.texts.contains(&(test, !passes)) {
                    return Err(Conflict);
                }
                if !self.texts.contains(&(test, passes)) {
                    self.texts.push((test, passes));
                }
                settle_flag(&mut self.has_text, true)
            }
        }
    }

    fn settle_integer(&mut self, is_integer: bool) -> Result<(), Conflict> {
        use ValueType::{Any, IntOrString, Integer, Number, Quantity};
        let can_be = matches!(self.value_type, Integer | Quantity | IntOrString | Number | Any);
        if is_integer && !can_be {
            return Err(Conflict);
        }
        settle_flag(&mut self.is_integer, is_integer)
    }

    /// True if its text matters beyond its presence.
    pub(crate) fn asks_for_text(&self) -> bool {
        !self.texts.is_empty()
            || self.length.max.is_some()
            || self.length.min.as_ref().is_some_and(|min| *min > BigInt::ZERO)
    }
}

fn settle_flag(known: &mut Option<bool>, truth: bool) -> Result<(), Conflict> {
    if known.is_some_and(|known| known != truth) {
        return Err(Conflict);
    }
    *known = Some(truth);
    Ok(())
}

/// Takes away what is outside of the bounds.
pub(crate) fn narrow_interval(
    interval: &mut Interval,
    min: Option<BigInt>,
    max: Option<BigInt>,
) -> Result<(), Conflict> {
    if let Some(min) = min.filter(|min| interval.min.as_ref().is_none_or(|known| known < min)) {
        interval.min = Some(min);
    }
    if let Some(max) = max.filter(|max| interval.max.as_ref().is_none_or(|known| known > max)) {
        interval.max = Some(max);
    }
    if interval.is_empty() { Err(Conflict) } else { Ok(()) }
}

/// True if a default is not a value of its field's type, which is possible in a user's catalog.
fn is_odd(place: &Place) -> bool {
    use ValueType::{Any, Boolean, IntOrString, Integer, Number, Quantity as AQuantity, String, Time};
    match (&place.default, place.value_type) {
        (None, _) | (Some(_), Any) => false,
        (Some(Scalar::Integer(_)), kind) => !matches!(kind, Integer | Number | IntOrString | AQuantity),
        (Some(Scalar::Boolean(_)), kind) => kind != Boolean,
        (Some(Scalar::Text(text)), AQuantity) => Quantity::parse_trimmed(text).is_err(),
        (Some(Scalar::Text(_)), kind) => !matches!(kind, String | Time | IntOrString),
    }
}

/// True if a value of this type can have no text, or not be an integer.
fn may_lack(value_type: ValueType, fact: &ValueFact<'_>) -> bool {
    match fact {
        ValueFact::NoText => value_type == ValueType::Any,
        ValueFact::NotInteger => value_type != ValueType::Integer,
        _ => true,
    }
}
