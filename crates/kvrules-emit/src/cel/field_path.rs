//! The field that the server reports for a violated rule: `fieldPath`.

use kvrules_ir::{ElaboratedRule, Place, PlaceBase, PlaceStep};

use super::names;

/// The path to the value that a rule tests, as far as the server accepts it: through objects and maps, not into
/// lists. `None` if it cannot be expressed.
pub(crate) fn field_path(rule: &ElaboratedRule) -> Option<String> {
    let subject = &rule.requirement.subject;
    let place = subject.lists.first().unwrap_or(&subject.leaf);
    let is_own_metadata = place.steps.first().is_some_and(|step| is_field(step, "metadata"));
    if place.base != PlaceBase::Root || is_own_metadata {
        return None;
    }
    let path: String = path_steps(place).collect();
    (!path.is_empty() && !path.contains(char::is_control)).then_some(path)
}

fn is_field(step: &PlaceStep, wanted: &str) -> bool {
    matches!(step, PlaceStep::Field { name, .. } if name == wanted)
}

fn path_steps(place: &Place) -> impl Iterator<Item = String> {
    place.steps.iter().map_while(|step| match step {
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) if names::is_plain(name) => {
            Some(format!(".{name}"))
        }
        PlaceStep::Field { name, .. } | PlaceStep::Key(name) => {
            Some(format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")))
        }
        PlaceStep::Item(_) => None,
    })
}
