//! `anyOf`, `oneOf`, `allOf` and `not`. What is below them is not excused by an update.

use serde_json::Value as Json;

use super::Validator;
use super::outcome::{ObjectError, ValidationOutcome};
use super::value_path::ValuePath;
use crate::node::value_of;

/// Checks a value against the branches of a node.
// kube-openapi validate/schema_props.go, (*schemaPropsValidator).Validate
pub(super) fn check_junctors(
    validator: &Validator<'_>,
    schema: &Json,
    value: &Json,
    path: &ValuePath<'_>,
) -> ValidationOutcome {
    let mut outcome = ValidationOutcome::default();
    let ask = |branch: &Json| validator.validate_node(branch, value, path, None);
    any_of(branches(schema, "anyOf"), path, ask, &mut outcome);
    one_of(branches(schema, "oneOf"), path, ask, &mut outcome);
    all_of(branches(schema, "allOf"), path, ask, &mut outcome);
    if value_of(schema, "not").filter(|not| not.is_object()).is_some_and(|not| ask(not).is_valid()) {
        outcome.add(junctor_error(path, "must not validate the schema (not)"));
    }
    outcome.checks += 1;
    outcome
}

fn branches<'a>(schema: &'a Json, junctor: &str) -> &'a [Json] {
    value_of(schema, junctor).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn junctor_error(path: &ValuePath<'_>, words: &str) -> ObjectError {
    ObjectError::without_path(format!("{:?} {words}", path.to_string()))
}

fn any_of(
    branches: &[Json],
    path: &ValuePath<'_>,
    ask: impl Fn(&Json) -> ValidationOutcome,
    outcome: &mut ValidationOutcome,
) {
    let mut best: Option<ValidationOutcome> = None;
    for branch in branches {
        let found = ask(branch);
        if found.is_valid() {
            return;
        }
        best = Some(better_outcome(best, found));
    }
    if let Some(best) = best {
        outcome.add(junctor_error(path, "must validate at least one schema (anyOf)"));
        outcome.merge(best);
    }
}

fn one_of(
    branches: &[Json],
    path: &ValuePath<'_>,
    ask: impl Fn(&Json) -> ValidationOutcome,
    outcome: &mut ValidationOutcome,
) {
    let mut best: Option<ValidationOutcome> = None;
    let mut valid = Vec::new();
    for branch in branches {
        let found = ask(branch);
        if found.is_valid() {
            valid.push(found);
        } else {
            best = Some(better_outcome(best, found));
        }
    }
    let words =
        |count: &str| junctor_error(path, &format!("must validate one and only one schema (oneOf). {count}"));
    match valid.len() {
        0 if branches.is_empty() => {}
        0 => {
            outcome.add(words("Found none valid"));
            outcome.merge(best.unwrap_or_default());
        }
        1 => outcome.merge(valid.pop().unwrap_or_default()),
        many => outcome.add(words(&format!("Found {many} valid alternatives"))),
    }
}

fn all_of(
    branches: &[Json],
    path: &ValuePath<'_>,
    ask: impl Fn(&Json) -> ValidationOutcome,
    outcome: &mut ValidationOutcome,
) {
    let mut valid = 0;
    for branch in branches {
        let found = ask(branch);
        valid += usize::from(found.is_valid());
        outcome.merge(found);
    }
    if valid != branches.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        outcome.add(junctor_error(path, &format!("must validate all the schemas (allOf){none}")));
    }
}

/// Of two failed branches the one that passed more checks; of equals the first.
// schema_props.go, bestFailures: another branch must pass more checks (MatchCount), not as many.
fn better_outcome(best: Option<ValidationOutcome>, other: ValidationOutcome) -> ValidationOutcome {
    match best {
        Some(best) if best.checks >= other.checks => best,
        _ => other,
    }
}
