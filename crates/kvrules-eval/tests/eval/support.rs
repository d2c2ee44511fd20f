//! A short notation for places, so that cases fit on a line.

use kvrules_ir::{Interval, Place, PlaceBase, PlaceStep, Predicate, Presence, Scalar, ValueTest, ValueType};

/// A place of strings: steps between points, `name!` required, `name` defaulted, `name?` optional, `%key` of a map,
/// `#2` of a list; `@1` at the start is the element one out.
pub(crate) fn place(text: &str) -> Place {
    let mut base = PlaceBase::Root;
    let mut steps = Vec::new();
    for step in text.split('.').filter(|step| !step.is_empty()) {
        if let Some(depth) = step.strip_prefix('@') {
            base = PlaceBase::Element(depth.parse().unwrap_or(0));
        } else {
            steps.push(step_of(step));
        }
    }
    Place { base, steps, value_type: ValueType::String, default: None }
}

fn step_of(text: &str) -> PlaceStep {
    let field = |name: &str, presence| PlaceStep::Field { name: name.to_owned(), presence };
    match (text.strip_prefix('#'), text.strip_prefix('%'), text.strip_suffix('?'), text.strip_suffix('!')) {
        (Some(index), ..) => PlaceStep::Item(index.parse().unwrap_or(0)),
        (_, Some(key), ..) => PlaceStep::Key(key.to_owned()),
        (_, _, Some(name), _) => field(name, Presence::Optional),
        (_, _, _, Some(name)) => field(name, Presence::Required),
        _ => field(text, Presence::Defaulted),
    }
}

/// The same place with another type.
pub(crate) fn typed(text: &str, value_type: ValueType) -> Place {
    Place { value_type, ..place(text) }
}

/// The same place with another type and a default.
pub(crate) fn defaulted(text: &str, value_type: ValueType, default: Scalar) -> Place {
    Place { value_type, default: Some(default), ..place(text) }
}

/// A test of the value at a place.
pub(crate) fn test(place: Place, test: ValueTest) -> Predicate {
    Predicate::Test { place, test }
}

/// Bounds that are included.
pub(crate) fn within(min: Option<i64>, max: Option<i64>) -> Interval {
    Interval { min: min.map(Into::into), max: max.map(Into::into) }
}

/// An integer within bounds.
pub(crate) fn integer(min: i64, max: i64) -> ValueTest {
    ValueTest::Integer(within(Some(min), Some(max)))
}

/// One of some texts.
pub(crate) fn one_of<const N: usize>(texts: [&str; N]) -> ValueTest {
    ValueTest::OneOf(texts.map(str::to_owned).into())
}
