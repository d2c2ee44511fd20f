//! Two rule sets for the same objects.
//!
//! A change is evaluated within its set: it tightens when some object keeps every old rule and breaks the new one, and loosens
//! when some object keeps every new rule and breaks the old one. So a rule that is split in two has not changed, and what
//! all changes say together is the change of the set.

mod left_out;

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity};
use kvrules_solver::{Prover, SearchResult};

use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction, Witness};

/// Compares two rule sets.
pub fn compare_rule_sets(old: &ElaboratedSet, new: &ElaboratedSet) -> Comparison {
    let mut comparison = Comparison::default();
    left_out::compare_left_out(&old.left_out, &new.left_out, &mut comparison);
    // Most templates of two releases have the same rules.
    if old.rules == new.rules {
        comparison.compared += old.rules.len();
        return comparison;
    }
    let others = std::mem::take(&mut comparison.changes);
    let mut pairing = Prover::default();
    let pairs = pair_rules(&old.rules, &new.rules, &mut pairing);
    let mut prover = Prover::with_cases(MOST_CASES);
    let sides = SidePredicates::new(&old.rules, &new.rules);
    for (before, after) in pairs {
        comparison.compared += 1;
        comparison.changes.extend(of_pair(before, after, &sides, &mut prover));
    }
    comparison.changes.extend(others);
    let work =
        |prover: &Prover<'_>| prover.work_done().0 + prover.work_done().1 / 1000 + prover.comparison_count();
    comparison.steps = work(&pairing) + work(&prover);
    comparison
}

/// The number of cases that all searches for one pair of rule sets may take.
const MOST_CASES: u64 = 60_000;

type ElaboratedPair<'r> = (Option<&'r ElaboratedRule>, Option<&'r ElaboratedRule>);

/// Pairs old rules with new ones: by name, else by meaning.
fn pair_rules<'r>(
    old: &'r [ElaboratedRule],
    new: &'r [ElaboratedRule],
    prover: &mut Prover<'r>,
) -> Vec<ElaboratedPair<'r>> {
    let mut left: Vec<&ElaboratedRule> = new.iter().collect();
    let mut pairs: Vec<ElaboratedPair<'r>> = Vec::new();
    let mut take = |fits: &mut dyn FnMut(&'r ElaboratedRule) -> bool| {
        left.iter().position(|rule| fits(rule)).map(|at| left.remove(at))
    };
    for rule in old {
        pairs.push((Some(rule), take(&mut |other| other.name == rule.name)));
    }
    for pair in pairs.iter_mut().filter(|(_, after)| after.is_none()) {
        let Some(rule) = pair.0 else { continue };
        pair.1 = take(&mut |other| other.severity == rule.severity && other.predicate == rule.predicate)
            .or_else(|| take(&mut |other| other.severity == rule.severity && prover.are_equal(rule, other)));
    }
    pairs.extend(left.into_iter().map(|rule| (None, Some(rule))));
    pairs
}

/// Predicates of the rules of each side.
struct SidePredicates<'r> {
    old: Vec<&'r Predicate>,
    new: Vec<&'r Predicate>,
}

impl<'r> SidePredicates<'r> {
    fn new(old: &'r [ElaboratedRule], new: &'r [ElaboratedRule]) -> Self {
        let refusing = |rules: &'r [ElaboratedRule]| {
            let errors = rules.iter().filter(|rule| rule.severity == Severity::Error);
            errors.map(|rule| &rule.predicate).collect()
        };
        Self { old: refusing(old), new: refusing(new) }
    }
}

fn of_pair<'r>(
    before: Option<&'r ElaboratedRule>,
    after: Option<&'r ElaboratedRule>,
    sides: &SidePredicates<'r>,
    prover: &mut Prover<'r>,
) -> Option<Change> {
    let (limits, notes) = changed_parts(before, after);
    let same = match (before, after) {
        (Some(one), Some(other)) => one.predicate == other.predicate && one.severity == other.severity,
        _ => false,
    };
    if same && limits.is_empty() && notes.is_empty() {
        return None;
    }
    let name = before.or(after).map(|rule| rule.name.clone()).unwrap_or_default();
    let site = |rule: Option<&ElaboratedRule>| {
        rule.and_then(|rule| rule.origin.span()).map_or(ChangeSite::Absent, ChangeSite::Span)
    };
    let what = match (before, after) {
        (None, _) => "rule added",
        (_, None) => "rule removed",
        _ => "rule",
    };
    let mut change = Change { notes, old: site(before), new: site(after), ..Change::new(name, what, limits) };
    if same {
        settle_same(&mut change);
        return Some(change);
    }
    let refuses = |rule: Option<&ElaboratedRule>| rule.is_some_and(|rule| rule.severity == Severity::Error);
    if refuses(before) || refuses(after) {
        let (before, after) = (before.filter(|_| refuses(before)), after.filter(|_| refuses(after)));
        find_witnesses(&mut change, before, after, sides, prover);
    } else {
        change.notes.push("it only warns, so no object is rejected or accepted because of it".to_owned());
        let alone = SidePredicates {
            old: before.iter().map(|rule| &rule.predicate).collect(),
            new: after.iter().map(|rule| &rule.predicate).collect(),
        };
        find_witnesses(&mut change, before, after, &alone, prover);
        change.what = "warning";
    }
    if change.direction == Direction::Equal && change.limits.iter().any(|limit| limit.key == "message") {
        change.direction = Direction::MessageOnly;
    }
    Some(change)
}

/// A rule that means what it meant.
fn settle_same(change: &mut Change) {
    let only = change.limits.iter().all(|limit| limit.key == "message") && !change.limits.is_empty();
    change.direction = if only { Direction::MessageOnly } else { Direction::Equal };
    change.proved = true;
}

/// Looks for objects both ways.
fn find_witnesses<'r>(
    change: &mut Change,
    before: Option<&'r ElaboratedRule>,
    after: Option<&'r ElaboratedRule>,
    sides: &SidePredicates<'r>,
    prover: &mut Prover<'r>,
) {
    static ALWAYS: Predicate = Predicate::True;
    let (own, other) =
        (before.map_or(&ALWAYS, |rule| &rule.predicate), after.map_or(&ALWAYS, |rule| &rule.predicate));
    let refused = prover.find_violating_object(&sides.old, own, other);
    let accepted = prover.find_violating_object(&sides.new, other, own);
    let message_of =
        |rule: Option<&ElaboratedRule>| rule.map(|rule| rule.message.clone()).unwrap_or_default();
    let excluded = [&refused, &accepted].map(|found| matches!(found, SearchResult::Nothing));
    let bound = ImpliedDirection::Open.without(excluded[0], excluded[1]);
    let doubts = [&refused, &accepted].into_iter().filter_map(|found| match found {
        SearchResult::Unknown(reason) => Some(reason.as_str()),
        SearchResult::Object(_) | SearchResult::Nothing => None,
    });
    change.notes.extend(doubts.take(1).map(|reason| format!("it could not be decided: {reason}")));
    if let (SearchResult::Nothing, SearchResult::Nothing) = (&refused, &accepted)
        && (before.is_none() || after.is_none())
    {
        change.notes.push("the other rules of the set imply it".to_owned());
    }
    let witness = |found: SearchResult, because| match found {
        SearchResult::Object(object) => Some(Witness::new(object, because)),
        SearchResult::Nothing | SearchResult::Unknown(_) => None,
    };
    change.refused = witness(refused, message_of(after));
    change.accepted = witness(accepted, message_of(before));
    change.direction = bound.direction(change.refused.is_some(), change.accepted.is_some());
    change.at_most = bound.at_most().filter(|_| change.direction == Direction::Unknown);
    change.proved = bound.is_decided(change.refused.is_some(), change.accepted.is_some());
}

/// Returns the parts that are written differently, and further notes.
fn changed_parts(
    before: Option<&ElaboratedRule>,
    after: Option<&ElaboratedRule>,
) -> (Vec<ChangedLimit>, Vec<String>) {
    let mut limits = Vec::new();
    let texts = |rule: Option<&ElaboratedRule>| rule.map(rule_parts).unwrap_or_default();
    let (old, new) = (texts(before), texts(after));
    let keys = old.iter().chain(new.iter().filter(|(key, _)| !old.iter().any(|(known, _)| known == key)));
    for (key, _) in keys {
        let value = |side: &[(&'static str, String)]| {
            side.iter().find(|(known, _)| known == key).map(|(_, text)| text.clone())
        };
        let (one, other) = (value(&old), value(&new));
        if one != other && !(*key == "message" && (before.is_none() || after.is_none())) {
            limits.push(ChangedLimit { key: (*key).to_owned(), before: one, after: other });
        }
    }
    let mut notes = Vec::new();
    if let (Some(one), Some(other)) = (before, after)
        && one.name != other.name
    {
        notes.push(format!("it is now called `{}`", other.name));
    }
    (limits, notes)
}

/// Returns the parts of a rule, key by key.
pub(crate) fn rule_parts(rule: &ElaboratedRule) -> Vec<(&'static str, String)> {
    let mut parts = vec![("path", rule.requirement.subject.text.clone())];
    if let Some(guard) = &rule.requirement.guard {
        parts.push(("valid", guard.text.clone()));
    }
    if let Some(written) = &rule.written.0 {
        parts.extend(constraint_arguments(&written.constraint));
    }
    parts.push(("message", rule.message.clone()));
    if rule.severity == Severity::Warning {
        parts.push(("justWarning", "true".to_owned()));
    }
    parts
}

fn constraint_arguments(constraint: &kvrules_ir::Constraint) -> Vec<(&'static str, String)> {
    use kvrules_ir::{BoundValue, Constraint, EnumValue};
    let bound = |bound: &BoundValue| match bound {
        BoundValue::Number(number) => {
            number.to_integer().map_or_else(|| "a fraction".to_owned(), |it| it.to_string())
        }
        BoundValue::Path(path) => path.to_string(),
    };
    let bounds = |keys: [&'static str; 2], values: [&Option<BoundValue>; 2]| {
        let written = keys.into_iter().zip(values);
        written.filter_map(|(key, value)| Some((key, bound(value.as_ref()?)))).collect()
    };
    match constraint {
        Constraint::Integer { min, max } => bounds(["min", "max"], [min, max]),
        Constraint::String { min_length, max_length } => {
            bounds(["minLength", "maxLength"], [min_length, max_length])
        }
        Constraint::Enum { values } => {
            let texts: Vec<_> = values
                .iter()
                .map(|value| match value {
                    EnumValue::Text(text) => text.clone(),
                    EnumValue::Path(path) => path.to_string(),
                })
                .collect();
            vec![("values", texts.join(", "))]
        }
        Constraint::Regex { pattern, .. } => vec![("regex", pattern.clone())],
    }
}
