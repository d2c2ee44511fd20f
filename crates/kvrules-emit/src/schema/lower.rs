//! Predicates as shapes.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Predicate, Presence, ValueTest};

use super::losses::SchemaLosses;
use super::shape::ValueShape;
use super::{Dialect, QuantityMode, implicit_value, test};

/// The shape of the objects for which a predicate holds, and how it departs from that; the cause if a schema cannot
/// express it.
pub(crate) fn lower_predicate(
    predicate: &Predicate,
    dialect: Dialect,
    quantities: QuantityMode,
) -> Result<(ValueShape, SchemaLosses), String> {
    let mut losses = SchemaLosses::default();
    let lowering = ShapeLowering { dialect, quantities, base: PlaceBase::Root, negated: false };
    let shape = lowering.predicate(predicate, &mut losses)?;
    Ok((shape, losses))
}

/// Lowers predicates about one value.
#[derive(Clone, Copy)]
struct ShapeLowering {
    dialect: Dialect,
    quantities: QuantityMode,
    /// Base of the places in reach.
    base: PlaceBase,
    /// True if the predicate stands under an odd number of negations.
    negated: bool,
}

impl ShapeLowering {
    fn predicate(self, predicate: &Predicate, losses: &mut SchemaLosses) -> Result<ValueShape, String> {
        match predicate {
            Predicate::True => Ok(ValueShape::Anything),
            Predicate::False => Ok(ValueShape::Nothing),
            Predicate::All(parts) => Ok(ValueShape::all(self.parts(parts, losses)?)),
            Predicate::Any(parts) => Ok(ValueShape::any(self.parts(parts, losses)?)),
            Predicate::Not(inner) => {
                let opposite = Self { negated: !self.negated, ..self };
                Ok(opposite.predicate(inner, losses)?.negated())
            }
            Predicate::Each { list, holds } => {
                let shape = ValueShape::each(self.in_element().predicate(holds, losses)?);
                self.place(list, PlaceWalk { shape, silent: true, missing: true })
            }
            Predicate::Some { list, holds } => {
                let shape = ValueShape::some(self.in_element().predicate(holds, losses)?);
                self.place(list, PlaceWalk { shape, silent: false, missing: false })
            }
            Predicate::Present(place) => {
                self.place(place, PlaceWalk { shape: ValueShape::Anything, silent: true, missing: false })
            }
            Predicate::Test { place, test } => self.test(place, test, losses),
            Predicate::Compare { .. } => Err("a schema cannot compare two fields".to_owned()),
        }
    }

    fn parts(self, parts: &[Predicate], losses: &mut SchemaLosses) -> Result<Vec<ValueShape>, String> {
        parts.iter().map(|part| self.predicate(part, losses)).collect()
    }

    fn in_element(self) -> Self {
        Self { base: PlaceBase::Element(0), ..self }
    }

    fn test(self, place: &Place, test: &ValueTest, losses: &mut SchemaLosses) -> Result<ValueShape, String> {
        let mut own = SchemaLosses::default();
        let shape = test::of_test(test, place.value_type, self.quantities, &mut own)?;
        losses.of_part(&own, self.negated);
        self.place(
            place,
            PlaceWalk { shape, silent: implicit_value::default_passes(place, test), missing: false },
        )
    }

    fn place(self, place: &Place, walk: PlaceWalk) -> Result<ValueShape, String> {
        if place.base != self.base {
            return Err("a schema of a list element cannot refer to fields outside the element".to_owned());
        }
        self.steps(&place.steps, walk)
    }

    fn steps(self, steps: &[PlaceStep], walk: PlaceWalk) -> Result<ValueShape, String> {
        let Some((step, rest)) = steps.split_first() else {
            return Ok(walk.shape);
        };
        // If the rest of the place always exists, it also exists when the field is not spelled out.
        let exists = steps.iter().all(|step| step.presence() != Presence::Optional);
        let (silent, missing) = (walk.silent, walk.missing);
        let value = self.steps(rest, walk)?;
        Ok(match step {
            PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
                ValueShape::field(name, if exists { silent } else { missing }, missing, value)
            }
            PlaceStep::Item(index) => ValueShape::item(self.dialect.item(*index)?, missing, missing, value),
        })
    }
}

/// Requirements at the end of a place.
struct PlaceWalk {
    /// Shape of a value that is spelled out there.
    shape: ValueShape,
    /// The answer where the place exists without being spelled out.
    silent: bool,
    /// The answer where the place does not exist.
    missing: bool,
}
