//! Compares the requests that constraints match, as sets.

use kvrules_apiserver::policy::Policy;
use serde_json::{Value, json};

use super::request_space::RequestSpace;
use super::trials::{PolicyTrials, ShownBy};
use super::{decide_change, resource_site};
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit};

/// The parts of constraints.
const PARTS: [&str; 5] =
    ["resourceRules", "excludeResourceRules", "namespaceSelector", "objectSelector", "matchPolicy"];

/// Compares `matchConstraints` of policies, or `matchResources` of bindings.
pub(super) fn compare_matching(old: &Value, new: &Value, trials: &PolicyTrials) -> Vec<Change> {
    let key = ["matchConstraints", "matchResources"]
        .into_iter()
        .find(|key| [old, new].iter().any(|side| side.get("spec").and_then(|spec| spec.get(*key)).is_some()));
    let Some(key) = key else { return Vec::new() };
    let part_of = |side: &Value| {
        side.get("spec").and_then(|spec| spec.get(key)).cloned().unwrap_or_else(without_constraints)
    };
    let (mut before, after) = (part_of(old), part_of(new));
    let mut changes = Vec::new();
    // Each part is changed on top of those before it: two changes without an effect may have one together.
    for part in PARTS {
        if before.get(part) == after.get(part) {
            continue;
        }
        let next = with_part(&before, part, after.get(part));
        changes.push(compare_part(key, part, (&before, &next), trials));
        before = next;
    }
    changes
}

/// Constraints that are not written, with the server's default.
fn without_constraints() -> Value {
    json!({"matchPolicy": "Equivalent"})
}

/// Constraints with another value of one part.
fn with_part(constraints: &Value, part: &str, value: Option<&Value>) -> Value {
    let mut changed = constraints.clone();
    match (value, changed.as_object_mut()) {
        (Some(value), Some(fields)) => _ = fields.insert(part.to_owned(), value.clone()),
        (None, Some(fields)) => _ = fields.shift_remove(part),
        _ => {}
    }
    changed
}

fn compare_part(key: &str, part: &str, (old, new): (&Value, &Value), trials: &PolicyTrials) -> Change {
    let text = |side: &Value| {
        side.get(part).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let mut change =
        Change::new(format!("spec.{key}"), "value", vec![ChangedLimit::new(part, text(old), text(new))]);
    let site = |side: &Value| {
        side.get(part).map_or(ChangeSite::Absent, |_| resource_site(&["spec", key, part], None))
    };
    (change.old, change.new) = (site(old), site(new));
    let matchers = [old, new].map(|constraints| {
        Policy::from_json(
            &json!({"metadata": {"name": "matcher"}, "spec": {"matchConstraints": constraints}}),
        )
    });
    let sets = MatchedSets::of_matchers(&matchers, &[old, new]);
    change.notes.extend(sets.notes());
    let only_new = |refused: bool| if refused { [false, true] } else { [true, false] };
    decide_change(change, sets.bound(), trials, &|trialed, refused| {
        let matched = matchers.each_ref().map(|it| it.matches_request(&trialed.request).unwrap_or(false));
        (matched == only_new(refused)).then_some(ShownBy::Denial)
    })
}

/// Requests that only one of two constraints matches.
#[derive(Default)]
struct MatchedSets {
    /// A request that only the new ones match, and its number; the same of the old ones.
    gained: Option<String>,
    lost: Option<String>,
    is_complete: bool,
}

impl MatchedSets {
    fn of_matchers(matchers: &[Policy; 2], constraints: &[&Value]) -> Self {
        let space = RequestSpace::of_constraints(constraints).all_requests();
        let mut sets = Self { is_complete: space.is_complete, ..Self::default() };
        for request in &space.requests {
            let matched = matchers.each_ref().map(|matcher| matcher.matches_request(request));
            let name = || crate::report::RequestSubject::of_request(request).to_string();
            match matched {
                [Ok(false), Ok(true)] => _ = sets.gained.get_or_insert_with(name),
                [Ok(true), Ok(false)] => _ = sets.lost.get_or_insert_with(name),
                [Ok(_), Ok(_)] => {}
                _ => sets.is_complete = false,
            }
        }
        sets
    }

    fn bound(&self) -> ImpliedDirection {
        match (&self.gained, &self.lost, self.is_complete) {
            (_, _, false) | (Some(_), Some(_), true) => ImpliedDirection::Open,
            (Some(_), None, true) => ImpliedDirection::Tighter,
            (None, Some(_), true) => ImpliedDirection::Looser,
            (None, None, true) => ImpliedDirection::Equal,
        }
    }

    fn notes(&self) -> Vec<String> {
        let gained = self.gained.iter().map(|name| format!("now matched: {name}"));
        let lost = self.lost.iter().map(|name| format!("no longer matched: {name}"));
        gained.chain(lost).collect()
    }
}
