//! Finding what is at a place: walking the steps of a [`Place`] through an object.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Presence};
use serde_json::{Map, Value};

use crate::value::EffectiveValue;

/// Starting points of places: the object, and the list elements of the enclosing quantifiers.
///
/// Scopes form a chain on the stack, from the innermost element out to the root.
#[derive(Clone, Copy)]
pub(crate) enum EvalScope<'s, 'o> {
    /// The object itself.
    Root(&'o Value),
    /// An element of a list, seen from the scope that the list was found in.
    Element(&'o Value, &'s EvalScope<'s, 'o>),
}

/// Result of finding a place that exists.
#[derive(Clone, Copy)]
pub(crate) enum PlaceContent<'o> {
    /// The object spells it out; never `null`.
    Spelled(&'o Value),
    /// It exists without being spelled out: it has its default or zero value, and an object has no keys.
    Implicit,
}

impl<'o> EvalScope<'_, 'o> {
    /// Finds what is at a place; `None` if the place does not exist.
    pub(crate) fn find_place(&self, place: &Place) -> Option<PlaceContent<'o>> {
        place.steps.iter().try_fold(self.start_at(place.base)?, PlaceContent::follow_step)
    }

    /// Finds what is at the start of places.
    pub(crate) fn start_at(&self, base: PlaceBase) -> Option<PlaceContent<'o>> {
        spelled_out(self.base(base)?)
    }

    /// The value at a place.
    pub(crate) fn effective_value<'p>(&self, place: &'p Place) -> Option<EffectiveValue<'p>>
    where
        'o: 'p,
    {
        Some(self.find_place(place)?.into_effective_value(place))
    }

    /// The elements of the list at a place, with their indices: none if there is no list. As everywhere, `null`
    /// is absent, so an element that is `null` is missing.
    pub(crate) fn elements(&self, list: &Place) -> impl Iterator<Item = (usize, &'o Value)> + use<'o> {
        let items = match self.find_place(list) {
            Some(PlaceContent::Spelled(Value::Array(items))) => items.as_slice(),
            _ => &[],
        };
        items.iter().enumerate().filter(|(_, item)| !item.is_null())
    }

    fn base(&self, base: PlaceBase) -> Option<&'o Value> {
        match (base, *self) {
            (PlaceBase::Root, EvalScope::Root(root)) => Some(root),
            (PlaceBase::Root, EvalScope::Element(_, outer)) => outer.base(base),
            (PlaceBase::Element(0), EvalScope::Element(element, _)) => Some(element),
            (PlaceBase::Element(depth), EvalScope::Element(_, outer)) => {
                outer.base(PlaceBase::Element(depth - 1))
            }
            (PlaceBase::Element(_), EvalScope::Root(_)) => None,
        }
    }
}

impl<'o> PlaceContent<'o> {
    /// The value, where this was found at `place`.
    pub(crate) fn into_effective_value(self, place: &'o Place) -> EffectiveValue<'o> {
        match (self, &place.default) {
            (Self::Spelled(value), _) => EffectiveValue::Spelled(value, place.value_type),
            (Self::Implicit, Some(default)) => EffectiveValue::Default(default, place.value_type),
            (Self::Implicit, None) => EffectiveValue::Zero(place.value_type),
        }
    }

    /// One step down. A step into something of the wrong type finds nothing.
    pub(crate) fn follow_step(self, step: &PlaceStep) -> Option<Self> {
        let below = match (self, step) {
            (PlaceContent::Implicit, _) => None,
            (
                PlaceContent::Spelled(Value::Object(fields)),
                PlaceStep::Field { name, .. } | PlaceStep::Key(name),
            ) => get_field(fields, name).and_then(spelled_out),
            (PlaceContent::Spelled(Value::Array(items)), PlaceStep::Item(index)) => {
                position(*index, items.len()).and_then(|at| items.get(at)).and_then(spelled_out)
            }
            (PlaceContent::Spelled(_), _) => return None,
        };
        below.or_else(|| (step.presence() != Presence::Optional).then_some(PlaceContent::Implicit))
    }
}

/// The value of a key. Objects of rules have few keys, and among few, looking at each is faster than hashing.
fn get_field<'o>(fields: &'o Map<String, Value>, name: &str) -> Option<&'o Value> {
    if fields.len() > 8 {
        return fields.get(name);
    }
    fields.iter().find_map(|(key, value)| (key == name).then_some(value))
}

/// Returns the position that an index means in a list of some length; negative ones count from the end.
pub(crate) fn position(index: i64, length: usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 { length.checked_sub(distance) } else { Some(distance) }
}

fn spelled_out(value: &Value) -> Option<PlaceContent<'_>> {
    (!value.is_null()).then_some(PlaceContent::Spelled(value))
}
