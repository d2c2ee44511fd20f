//! Places by where they are in one object, whatever quantifier they are seen from.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Presence};

/// One step from the root of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AddressSegment<'p> {
    /// A field that exists with its parent.
    Constant(&'p str),
    /// A field that exists where the object has it.
    Optional(&'p str),
    /// A key of a map.
    Key(&'p str),
    /// An item of a list that a path names by its index.
    Item(i64),
    /// An element of a list that a quantifier asks for; elements with other numbers may be others.
    Element(usize),
}

/// A place in an object.
pub(crate) type Address<'p> = Vec<AddressSegment<'p>>;

/// The elements that the quantifiers around stand at, the innermost last.
pub(crate) type Scope<'p> = Vec<Address<'p>>;

impl AddressSegment<'_> {
    /// True if it may be absent even if its parent is present.
    fn may_lack(self) -> bool {
        !matches!(self, Self::Constant(_))
    }
}

/// Returns the address of a place; `None` if it begins at a quantifier that is absent.
pub(crate) fn locate_place<'p>(place: &'p Place, scope: &Scope<'p>) -> Option<Address<'p>> {
    let mut address = match place.base {
        PlaceBase::Root => Vec::new(),
        PlaceBase::Element(depth) => scope.iter().rev().nth(usize::try_from(depth).ok()?)?.clone(),
    };
    address.extend(place.steps.iter().map(|step| match step {
        PlaceStep::Field { name, presence: Presence::Optional } => AddressSegment::Optional(name),
        PlaceStep::Field { name, .. } => AddressSegment::Constant(name),
        PlaceStep::Key(name) => AddressSegment::Key(name),
        PlaceStep::Item(index) => AddressSegment::Item(*index),
    }));
    Some(address)
}

/// Returns the number of segments up to the last one that may be absent: what is behind it exists with it.
pub(crate) fn required_length(address: &[AddressSegment<'_>]) -> usize {
    address.iter().rposition(|segment| segment.may_lack()).map_or(0, |last| last + 1)
}
