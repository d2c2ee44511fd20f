//! Keys of the object in other letter case.

use kvrules_ir::PlaceStep;
use serde_json::Value;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::spec_result::EvaluatedRule;
use crate::divergence::written_rule::fold_case;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D28",
    name: "machine-key-spelling",
    summary: "the validator finds a field of the object ignoring the case of its key, and its meaning does not",
    applies,
    in_rule: None,
};

/// A key of the object is a name on the rule's paths except for its letter case, and with the key so spelled the rule has
/// another outcome by its meaning.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(read) = context.rule.filter(|rule| rule.is_sound()).and_then(|rule| rule.readable_rule()) else {
        return false;
    };
    let (names, mut object) = (names(read), context.object.clone());
    if !respell(&mut object, &names) {
        return false;
    }
    let respelled = kvrules_eval::explain_rule(&read.rule, &object);
    respelled.is_ok_and(|respelled| respelled.verdict != read.explanation.verdict)
}

/// The names of fields on the way to the values and to what guards them.
fn names(read: &EvaluatedRule) -> Vec<&str> {
    let requirement = &read.rule.requirement;
    let selectors = std::iter::once(&requirement.subject).chain(&requirement.guard);
    let places = selectors.flat_map(|selector| selector.lists.iter().chain([&selector.leaf]));
    let steps = places.flat_map(|place| &place.steps);
    let names = steps.filter_map(|step| match step {
        PlaceStep::Field { name, .. } => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}

/// Spells keys as the names are; whether any was spelled otherwise.
fn respell(value: &mut Value, names: &[&str]) -> bool {
    match value {
        Value::Array(items) => {
            // `collect` instead of `any`, which would stop at the first item that was respelled.
            let spelled: Vec<bool> = items.iter_mut().map(|item| respell(item, names)).collect();
            spelled.contains(&true)
        }
        Value::Object(fields) => {
            let mut found = false;
            for (key, mut value) in std::mem::take(fields) {
                found |= respell(&mut value, names);
                let name = names.iter().find(|name| **name != key && fold_case(name) == fold_case(&key));
                found |= name.is_some();
                fields.insert(name.map_or(key, |name| (*name).to_owned()), value);
            }
            found
        }
        _ => false,
    }
}
