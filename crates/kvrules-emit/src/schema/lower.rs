//! Predicates as shapes.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Predicate, Presence, ValueTest};

use super::losses::Losses;
use super::shape::Shape;
use super::{Dialect, QuantityMode, implicit_value, test};

/// The shape of the objects for which a predicate holds, and how it departs from that; the cause if a schema cannot
/// say it.
pub(crate) fn lower(
    predicate: &Predicate,
    dialect: Dialect,
    quantities: QuantityMode,
) -> Result<(Shape, Losses), String> {
    let mut losses = Losses::default();
    let lowering = Lowering { dialect, quantities, base: PlaceBase::Root, negated: false };
    let shape = lowering.predicate(predicate, &mut losses)?;
    Ok((shape, losses))
}

/// Lowers predicates about one value.
#[derive(Clone, Copy)]
struct Lowering {
    dialect: Dialect,
    quantities: QuantityMode,
    /// Base of the places in reach.
    base: PlaceBase,
    /// True if the predicate stands under an odd number of negations.
    negated: bool,
}

impl Lowering {
    fn predicate(self, predicate: &Predicate, losses: &mut Losses) -> Result<Shape, String> {
        match predicate {
            Predicate::True => Ok(Shape::Anything),
            Predicate::False => Ok(Shape::Nothing),
            Predicate::All(parts) => Ok(Shape::all(self.parts(parts, losses)?)),
            Predicate::Any(parts) => Ok(Shape::any(self.parts(parts, losses)?)),
            Predicate::Not(inner) => {
                let opposite = Self { negated: !self.negated, ..self };
                Ok(opposite.predicate(inner, losses)?.negated())
            }
            Predicate::Each { list, holds } => {
                let shape = Shape::each(self.in_element().predicate(holds, losses)?);
                self.place(list, Walk { shape, silent: true, missing: true })
            }
            Predicate::Some { list, holds } => {
                let shape = Shape::some(self.in_element().predicate(holds, losses)?);
                self.place(list, Walk { shape, silent: false, missing: false })
            }
            Predicate::Present(place) => {
                self.place(place, Walk { shape: Shape::Anything, silent: true, missing: false })
            }
            Predicate::Test { place, test } => self.test(place, test, losses),
            Predicate::Compare { .. } => Err("a schema cannot compare two fields".to_owned()),
        }
    }

    fn parts(self, parts: &[Predicate], losses: &mut Losses) -> Result<Vec<Shape>, String> {
        parts.iter().map(|part| self.predicate(part, losses)).collect()
    }

    fn in_element(self) -> Self {
        Self { base: PlaceBase::Element(0), ..self }
    }

    fn test(self, place: &Place, test: &ValueTest, losses: &mut Losses) -> Result<Shape, String> {
        let mut own = Losses::default();
        let shape = test::of_test(test, place.value_type, self.quantities, &mut own)?;
        losses.of_part(&own, self.negated);
        self.place(place, Walk { shape, silent: implicit_value::passes(place, test), missing: false })
    }

    fn place(self, place: &Place, walk: Walk) -> Result<Shape, String> {
        if place.base != self.base {
            return Err("a schema of a list element cannot refer to fields outside the element".to_owned());
        }
        self.steps(&place.steps, walk)
    }

    fn steps(self, steps: &[PlaceStep], walk: Walk) -> Result<Shape, String> {
        let Some((step, rest)) = steps.split_first() else {
            return Ok(walk.shape);
        };
        // What always exists below a field exists silently when the field is not spelled out.
        let exists = steps.iter().all(|step| step.presence() != Presence::Optional);
        let (silent, missing) = (walk.silent, walk.missing);
        let value = self.steps(rest, walk)?;
        Ok(match step {
            PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
                Shape::field(name, if exists { silent } else { missing }, missing, value)
            }
            PlaceStep::Item(index) => Shape::item(self.dialect.item(*index)?, missing, missing, value),
        })
    }
}

/// Requirements at the end of a place.
struct Walk {
    /// Shape of a value that is spelled out there.
    shape: Shape,
    /// The answer where the place exists without being spelled out.
    silent: bool,
    /// The answer where the place does not exist.
    missing: bool,
}
