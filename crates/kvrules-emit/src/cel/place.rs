//! Places as selections, with the tests that must come before a selection.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Presence, ValueType};

use super::dialect::{Dialect, FieldTypes};
use super::expr::{Expr, Operator};
use super::names;
use super::shared::SharedParts;
use super::unsupported::UnsupportedReason;

/// Expressions that read the value at a place.
///
/// A field that an object does not spell out may still exist, by its default. So there are two groups of tests.
/// Each is in order, and a test may only be evaluated if those before it passed.
pub(super) struct PlaceReading {
    /// The place exists where all of these hold.
    pub(super) exists: Vec<Expr>,
    /// If it exists, the object spells its value out if all of these hold too.
    pub(super) spelled: Vec<Expr>,
    /// The value that is spelled out.
    pub(super) value: Expr,
}

impl PlaceReading {
    /// All tests that must come before the value.
    pub(super) fn guards(&self) -> Vec<Expr> {
        [self.exists.clone(), self.spelled.clone()].concat()
    }
}

/// Roots of places.
#[derive(Clone, Copy)]
pub(super) struct PlaceRoots<'a> {
    pub(super) dialect: Dialect,
    /// The parts with a name of their own.
    pub(super) shared: &'a SharedParts,
    /// The loop variables, the innermost last.
    pub(super) variables: &'a [String],
}

impl PlaceRoots<'_> {
    /// Returns the expressions that read the value at a place.
    pub(super) fn read(&self, place: &Place) -> Result<PlaceReading, UnsupportedReason> {
        self.check_visible(place)?;
        // An absent object on the path counts as an empty one, which has no optional fields. So up to the last
        // optional step, the place exists only if every field is spelled out.
        let last_optional = place.steps.iter().rposition(|step| step.presence() == Presence::Optional);
        let (mut exists, mut spelled) = (Vec::new(), Vec::new());
        let start = self.shared.start(place);
        let mut value = start
            .map_or_else(|| self.base(place.base), |start| Expr::name("variables").select_field(&start.name));
        let skipped = start.map_or(0, |start| start.steps.len());
        for (position, step) in place.steps.iter().enumerate().skip(skipped) {
            let may_lack = position == skipped && start.is_some_and(|start| start.may_be_empty);
            let (guard, next) = self.step(value, step, may_lack)?;
            value = next;
            if last_optional.is_some_and(|last| position <= last) {
                exists.extend(guard);
            } else {
                spelled.extend(guard);
            }
        }
        Ok(PlaceReading { exists, spelled, value })
    }

    /// The elements of a list, and the tests that must come before its selection.
    pub(super) fn elements(&self, list: &Place) -> Result<(Vec<Expr>, Expr), UnsupportedReason> {
        if let Some(name) = self.shared.list(list) {
            return Ok((Vec::new(), Expr::name("variables").select_field(name)));
        }
        let reading = self.read(list)?;
        Ok((reading.guards(), reading.value))
    }

    fn base(&self, base: PlaceBase) -> Expr {
        let variable = match base {
            PlaceBase::Root => None,
            PlaceBase::Element(depth) => {
                self.variables.iter().rev().nth(usize::try_from(depth).unwrap_or(usize::MAX))
            }
        };
        Expr::name(variable.map_or(self.dialect.root, String::as_str))
    }

    /// One step down: the question whether it can be taken, if it is one, and where it leads. Also a required field
    /// can be missing where the value `may_lack` it.
    fn step(
        &self,
        from: Expr,
        step: &PlaceStep,
        may_lack: bool,
    ) -> Result<(Option<Expr>, Expr), UnsupportedReason> {
        match step {
            PlaceStep::Field { name, presence } => {
                let (guard, value) = self.field(from, name)?;
                Ok(((may_lack || *presence != Presence::Required).then_some(guard), value))
            }
            PlaceStep::Key(key) => {
                let (guard, value) = read_entry(from, key);
                Ok((Some(guard), value))
            }
            PlaceStep::Item(index) => {
                let (guard, value) = read_item(from, *index);
                Ok((Some(guard), value))
            }
        }
    }

    fn field(&self, from: Expr, name: &str) -> Result<(Expr, Expr), UnsupportedReason> {
        match self.dialect.types {
            FieldTypes::Schema => {
                let Some(escaped) = kvrules_cel::types::escape_property(name) else {
                    return Err(UnsupportedReason::new(format!("a rule cannot select the field `{name}`")));
                };
                Ok((Expr::Has(Box::new(from.clone()), escaped.clone()), from.select_field(escaped)))
            }
            FieldTypes::Dynamic if names::is_identifier(name) => {
                Ok((Expr::Has(Box::new(from.clone()), name.to_owned()), from.select_field(name)))
            }
            FieldTypes::Dynamic => Ok(read_entry(from, name)),
        }
    }

    fn check_visible(&self, place: &Place) -> Result<(), UnsupportedReason> {
        if self.dialect.types == FieldTypes::Schema {
            check_declared(place)?;
        }
        let is_below = |hidden: &&&[&str]| {
            place.base == PlaceBase::Root
                && place.steps.len() > hidden.len()
                && hidden
                    .iter()
                    .zip(&place.steps)
                    .all(|(own, step)| matches!(step, PlaceStep::Field { name, .. } if name == own))
        };
        match self.dialect.hidden.iter().find(is_below) {
            None => Ok(()),
            Some(hidden) => Err(UnsupportedReason::new(format!(
                "the schema does not declare the fields of `.{}`, so rules cannot read them",
                hidden.join(".")
            ))),
        }
    }
}

/// The server declares to rules what the schema gives a type, and of an object's own metadata just its names.
fn check_declared(place: &Place) -> Result<(), UnsupportedReason> {
    let is_field = |step: &PlaceStep, wanted: &[&str]| match step {
        PlaceStep::Field { name, .. } => wanted.contains(&name.as_str()),
        _ => false,
    };
    if place.value_type == ValueType::Any {
        return Err(UnsupportedReason::new("the type of the field is unknown"));
    }
    match place.steps.as_slice() {
        [first, second, ..]
            if place.base == PlaceBase::Root
                && is_field(first, &["metadata"])
                && !is_field(second, &["name", "generateName"]) =>
        {
            Err(UnsupportedReason::new(
                "rules can read only `name` and `generateName` of the object's metadata",
            ))
        }
        _ => Ok(()),
    }
}

/// An entry of a map. `has()` takes no index, `in` does.
fn read_entry(map: Expr, key: &str) -> (Expr, Expr) {
    (Expr::from_text(key).apply_operator(Operator::In, map.clone()), map.index_by(Expr::from_text(key)))
}

/// An item of a list, from the end where negative.
fn read_item(list: Expr, index: i64) -> (Expr, Expr) {
    let size = Expr::call_function("size", list.clone());
    if index >= 0 {
        return (size.apply_operator(Operator::Greater, Expr::Int(index)), list.index_by(Expr::Int(index)));
    }
    let Some(distance) = index.checked_neg() else {
        return (Expr::Bool(false), list); // no list is that long
    };
    let position = size.clone().apply_operator(Operator::Minus, Expr::Int(distance));
    (size.apply_operator(Operator::AtLeast, Expr::Int(distance)), list.index_by(position))
}
