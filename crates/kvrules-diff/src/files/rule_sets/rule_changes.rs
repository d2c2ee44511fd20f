//! Changes of rules that keep their names.
//!
//! A rule that moves to another field, or that gets another severity, is removed at one place and added at another. What both say
//! together is the change of the rule: it tightens if the added rule does, and loosens if the removed one does.

use std::collections::{HashMap, HashSet};

use kvrules_rule_set::AuthoredRule;

use crate::report::{Change, ChangedLimit, Direction, EffectAnswer};

/// A change with the rules that it is about, the old one first.
pub(super) type RuleChange<'s> = (Change, [Option<&'s AuthoredRule>; 2]);

/// Joins the removal and the addition of rules with the same name.
pub(super) fn join_moved_rules(changes: Vec<RuleChange<'_>>) -> Vec<Change> {
    let mut added: HashMap<&str, usize> = HashMap::new();
    for (at, (_, rules)) in changes.iter().enumerate() {
        if let [None, Some(rule)] = rules {
            added.insert(&rule.name, at);
        }
    }
    let partner = |rules: &[Option<&AuthoredRule>; 2]| match rules {
        [Some(rule), None] => added.get(rule.name.as_str()).copied(),
        _ => None,
    };
    let pairs: HashMap<usize, usize> =
        changes.iter().enumerate().filter_map(|(at, (_, rules))| Some((at, partner(rules)?))).collect();
    let taken: HashSet<usize> = pairs.values().copied().collect();
    let mut left: Vec<Option<RuleChange<'_>>> = changes.into_iter().map(Some).collect();
    let mut joined = Vec::new();
    for at in (0..left.len()).filter(|at| !taken.contains(at)) {
        let other = pairs.get(&at).and_then(|partner| left.get_mut(*partner)?.take());
        let own = left.get_mut(at).and_then(Option::take);
        joined.extend(match (own, other) {
            (Some((removed, [Some(old), _])), Some((added, [_, Some(new)]))) => {
                Some(join_changes(removed, added, [old, new]))
            }
            (own, _) => own.map(|(change, _)| change),
        });
    }
    joined
}

fn join_changes(removed: Change, added: Change, [old, new]: [&AuthoredRule; 2]) -> Change {
    let mut limits = Vec::new();
    let mut compare = |key: &str, before: String, after: String| {
        if before != after {
            limits.push(ChangedLimit::new(key, Some(before), Some(after)));
        }
    };
    compare("severity", old.severity.as_str().to_owned(), new.severity.as_str().to_owned());
    compare("rule", old.requirement.clone(), new.requirement.clone());
    let (tightens, loosens) = (added.tightens(), removed.loosens());
    let is_message = [&removed, &added].iter().any(|change| change.direction == Direction::MessageOnly);
    let (direction, at_most) = joined_direction(tightens, loosens, is_message);
    let mut notes = removed.notes;
    notes.extend(added.notes.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    Change {
        at: added.at,
        what: "rule",
        direction,
        at_most,
        proved: tightens != EffectAnswer::Unknown && loosens != EffectAnswer::Unknown,
        objects: removed.objects + added.objects,
        limits,
        refused: added.refused,
        accepted: removed.accepted,
        proofs: removed.proofs.into_iter().chain(added.proofs).collect(),
        notes,
        old: removed.old,
        new: added.new,
    }
}

/// The direction of a change by its answers, with the only direction that it can have if that is all that is known.
pub(in crate::files) fn joined_direction(
    tightens: EffectAnswer,
    loosens: EffectAnswer,
    is_message: bool,
) -> (Direction, Option<Direction>) {
    use EffectAnswer::{No, Unknown, Yes};
    let direction = match (tightens, loosens) {
        (Yes, Yes) => Direction::Incomparable,
        (Yes, No) => Direction::Tightened,
        (Yes, Unknown) => Direction::TightenedLooseningUnknown,
        (No, Yes) => Direction::Loosened,
        (Unknown, Yes) => Direction::LoosenedTighteningUnknown,
        (No, No) if is_message => Direction::MessageOnly,
        (No, No) => Direction::Equal,
        (Unknown, No) => return (Direction::Unknown, Some(Direction::Tightened)),
        (No, Unknown) => return (Direction::Unknown, Some(Direction::Loosened)),
        (Unknown, Unknown) => Direction::Unknown,
    };
    (direction, None)
}
