//! Compares the expressions of policies, with variables put in.

use kvrules_apiserver::policy::DecisionOrigin;
use kvrules_cel::ast::ExprKind;
use kvrules_crd::RunResources;
use serde_json::Value;

use super::proofs::ValidationProofs;
use super::trials::{PolicyTrials, ShownBy};
use super::variables::{ExpressionEntry, entries};
use super::{decide_change, resource_site};
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit};
use crate::schema::{FormRelation, compare_forms};

/// Compares `matchConditions`, `validations` and `auditAnnotations`.
pub(super) fn compare_expressions(
    old: &Value,
    new: &Value,
    trials: &PolicyTrials,
    run: &RunResources,
) -> (Vec<Change>, u64) {
    let pairs = |list: &str, keys: &[&str]| pair_entries(entries(old, list), entries(new, list), keys);
    let conditions = pairs("matchConditions", &["name"]);
    let validations = pairs("validations", &["expression", "message"]);
    let annotations = pairs("auditAnnotations", &["key"]);
    let is_written_differently = |(before, after): &&EntryPair<'_>| match (before, after) {
        (Some(before), Some(after)) => before.spelling != after.spelling,
        _ => true,
    };
    let proofs = match conditions.iter().chain(&validations).chain(&annotations).find(is_written_differently)
    {
        Some(_) => ValidationProofs::lift_sides(old, new, run),
        None => ValidationProofs::default(),
    };
    let is_ignored = new.pointer("/spec/failurePolicy").is_some_and(|policy| policy == "Ignore");
    let compared = ComparedPolicies { trials, proofs: &proofs, is_ignored };
    let mut changes: Vec<Change> =
        conditions.iter().filter_map(|pair| compare_conditions(pair, &compared)).collect();
    changes.extend(validations.iter().filter_map(|pair| compare_validations(pair, trials, &proofs)));
    changes.extend(annotations.iter().filter_map(|pair| compare_annotations(pair, &compared)));
    changes.extend(compare_variables(old, new, &changes));
    (changes, proofs.steps())
}

/// Requests and proofs that decide changes of two policies.
struct ComparedPolicies<'p> {
    trials: &'p PolicyTrials,
    proofs: &'p ValidationProofs,
    /// True if the failure policy of the new side ignores errors.
    is_ignored: bool,
}

type EntryPair<'v> = (Option<ExpressionEntry<'v>>, Option<ExpressionEntry<'v>>);

/// Pairs entries that are equal in one of the keys, then those that are alone.
fn pair_entries<'v>(
    old: Vec<ExpressionEntry<'v>>,
    new: Vec<ExpressionEntry<'v>>,
    keys: &[&str],
) -> Vec<EntryPair<'v>> {
    let mut left = new;
    let mut pairs: Vec<EntryPair<'v>> = old.into_iter().map(|entry| (Some(entry), None)).collect();
    let mut pair_by = |fits: &dyn Fn(&ExpressionEntry<'_>, &ExpressionEntry<'_>) -> bool| {
        for (before, after) in pairs.iter_mut().filter(|(_, after)| after.is_none()) {
            let Some(before) = before else { continue };
            let found = left.iter().position(|other| fits(before, other));
            *after = found.map(|at| left.remove(at));
        }
    };
    pair_by(&|one, other| one.spelling == other.spelling && one.value == other.value);
    for key in keys {
        pair_by(&|one, other| one.value.get(*key).is_some() && one.value.get(*key) == other.value.get(*key));
    }
    pair_by(&|one, other| one.spelling == other.spelling);
    let open = pairs.iter().filter(|(_, after)| after.is_none()).count();
    if (open, left.len()) == (1, 1)
        && let Some(pair) = pairs.iter_mut().find(|(_, after)| after.is_none())
    {
        pair.1 = left.pop();
    }
    pairs.extend(left.into_iter().map(|entry| (None, Some(entry))));
    pairs
}

/// The change of a pair, with what is written differently; `None` if nothing is.
fn pair_change((old, new): &EntryPair<'_>, list: &str) -> Option<Change> {
    const KEYS: [&str; 7] =
        ["name", "key", "expression", "valueExpression", "message", "messageExpression", "reason"];
    let is_single = old.is_none() || new.is_none();
    let show = |entry: &Option<ExpressionEntry<'_>>, key: &str| {
        entry.as_ref().and_then(|entry| Some(entry.value.get(key)?.as_str()?.to_owned()))
    };
    let is_expression = |key: &str| matches!(key, "expression" | "valueExpression");
    let shown_key = |key: &'static str| if is_expression(key) { "rule" } else { key };
    let mut limits: Vec<ChangedLimit> = KEYS
        .into_iter()
        .filter(|key| !is_single || is_expression(key))
        .map(|key| ChangedLimit::new(shown_key(key), show(old, key), show(new, key)))
        .filter(|limit| limit.before != limit.after)
        .collect();
    if let (Some(old), Some(new)) = (old, new)
        && limits.iter().all(|limit| limit.key != "rule")
        && old.spelling != new.spelling
    {
        limits.push(ChangedLimit::new("rule", Some(old.inlined.clone()), Some(new.inlined.clone())));
    }
    let what = match (old, new) {
        (None, _) => "rule added",
        (_, None) => "rule removed",
        _ => "rule",
    };
    let mut change = Change::new(format!("spec.{list}"), what, limits);
    let site = |entry: &Option<ExpressionEntry<'_>>| {
        entry.as_ref().map_or(ChangeSite::Absent, |entry| resource_site(&["spec", list], Some(entry.index)))
    };
    (change.old, change.new) = (site(old), site(new));
    (!change.limits.is_empty()).then_some(change)
}

/// The bound of a validation that replaces another, by the form of both.
fn validation_bound(old: &str, new: &str) -> ImpliedDirection {
    match compare_forms(old, new) {
        FormRelation::Same => ImpliedDirection::Equal,
        FormRelation::Stricter => ImpliedDirection::Tighter,
        FormRelation::Milder => ImpliedDirection::Looser,
        FormRelation::Different => ImpliedDirection::Open,
    }
}

fn compare_validations(
    pair: &EntryPair<'_>,
    trials: &PolicyTrials,
    proofs: &ValidationProofs,
) -> Option<Change> {
    let mut change = pair_change(pair, "validations")?;
    let is_true = |entry: &ExpressionEntry<'_>| entry.inlined == "true";
    let bound = match pair {
        (Some(entry), None) | (None, Some(entry)) if is_true(entry) => ImpliedDirection::Equal,
        (None, _) => ImpliedDirection::Tighter,
        (_, None) => ImpliedDirection::Looser,
        (Some(old), Some(new)) => validation_bound(&old.inlined, &new.inlined),
    };
    let indices = (pair.0.as_ref().map(|entry| entry.index), pair.1.as_ref().map(|entry| entry.index));
    let mut narrowed = bound;
    if change.limits.iter().any(|limit| limit.key == "rule") {
        (narrowed, change.proofs) = proofs.narrow_bound(bound, indices.0, indices.1);
    }
    let bound = narrowed;
    let is_message = change.limits.iter().all(|limit| limit.key != "rule");
    let mut change = decide_change(change, bound, trials, &|trialed, refused| {
        let (denying, index) = if refused { (&trialed.new, indices.1) } else { (&trialed.old, indices.0) };
        if !trialed.old.is_matched || !trialed.new.is_matched {
            return None;
        }
        denying.find_decision(|origin| index.is_some_and(|index| origin == DecisionOrigin::Validation(index)))
    });
    if bound == ImpliedDirection::Equal && is_message {
        change.direction = crate::report::Direction::MessageOnly;
    }
    Some(change)
}

/// A condition that ends in an error denies the request, unless the failure policy ignores that: a stricter condition may then
/// deny more.
fn compare_conditions(pair: &EntryPair<'_>, compared: &ComparedPolicies<'_>) -> Option<Change> {
    let change = pair_change(pair, "matchConditions")?;
    let is_true = |entry: &ExpressionEntry<'_>| entry.inlined == "true";
    let relation = match pair {
        (Some(entry), None) | (None, Some(entry)) if is_true(entry) => FormRelation::Same,
        (None, _) => FormRelation::Stricter,
        (_, None) => FormRelation::Milder,
        (Some(old), Some(new)) => compare_forms(&old.inlined, &new.inlined),
    };
    let bound = match (relation, compared.is_ignored) {
        (FormRelation::Same, _) => ImpliedDirection::Equal,
        (FormRelation::Stricter, true) => ImpliedDirection::Looser,
        (FormRelation::Milder, true) => ImpliedDirection::Tighter,
        _ => ImpliedDirection::Open,
    };
    let indices = [&pair.0, &pair.1].map(|entry| entry.as_ref().map(|entry| entry.index));
    let bound = compared.proofs.narrow_condition(bound, indices);
    let [before, after] = indices;
    Some(decide_change(change, bound, compared.trials, &|trialed, refused| {
        let (admitting, index) = if refused { (&trialed.old, before) } else { (&trialed.new, after) };
        let (denying, other) = if refused { (&trialed.new, after) } else { (&trialed.old, before) };
        if index.is_some() && admitting.skipped_by == index {
            return Some(ShownBy::Denial);
        }
        let is_own =
            |origin| matches!(origin, DecisionOrigin::MatchConditions(at) if at.is_none() || at == other);
        denying.find_decision(is_own).filter(|_| other.is_some())
    }))
}

/// An audit annotation whose value ends in an error denies the request, unless the failure policy ignores that.
fn compare_annotations(pair: &EntryPair<'_>, compared: &ComparedPolicies<'_>) -> Option<Change> {
    let change = pair_change(pair, "auditAnnotations")?;
    let bound = match pair {
        _ if compared.is_ignored => ImpliedDirection::Equal,
        (Some(old), Some(new)) if old.spelling == new.spelling => ImpliedDirection::Equal,
        (Some(_), Some(_)) => ImpliedDirection::Open,
        (None, _) => ImpliedDirection::Tighter,
        (_, None) => ImpliedDirection::Looser,
    };
    let indices = [&pair.0, &pair.1].map(|entry| entry.as_ref().map(|entry| entry.index));
    let bound = compared.proofs.narrow_annotation(bound, indices);
    let is_constant =
        |entry: &Option<ExpressionEntry<'_>>| entry.as_ref().is_none_or(|it| is_literal(&it.inlined));
    let bound = bound.without(is_constant(&pair.1), is_constant(&pair.0));
    let [before, after] = indices;
    Some(decide_change(change, bound, compared.trials, &|trialed, refused| {
        let (denying, index) = if refused { (&trialed.new, after) } else { (&trialed.old, before) };
        denying.find_decision(|origin| index.is_some_and(|index| origin == DecisionOrigin::Annotation(index)))
    }))
}

/// True for an expression that is a constant, which has no error.
fn is_literal(text: &str) -> bool {
    kvrules_cel::parse(text).is_ok_and(|expression| matches!(expression.root.kind, ExprKind::Literal(_)))
}

/// Variables that differ: what follows from them is reported for the expressions that use them.
fn compare_variables(old: &Value, new: &Value, changes: &[Change]) -> Vec<Change> {
    let (before, after) = (raw_variables(old), raw_variables(new));
    let mut names: Vec<&String> = before.iter().map(|(name, _)| name).collect();
    names.extend(
        after.iter().map(|(name, _)| name).filter(|name| before.iter().all(|(known, _)| known != *name)),
    );
    let find = |list: &[(String, String)], name: &str| {
        list.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone())
    };
    let change = |name: &String| {
        let limit = ChangedLimit::new(name.clone(), find(&before, name), find(&after, name));
        if limit.before == limit.after {
            return None;
        }
        let mut change = Change::new("spec.variables", "value", vec![limit]);
        let site = |list: &[(String, String)]| {
            let index = list.iter().position(|(known, _)| known == name);
            index.map_or(ChangeSite::Absent, |index| resource_site(&["spec", "variables"], Some(index)))
        };
        (change.old, change.new) = (site(&before), site(&after));
        (change.direction, change.proved) = (crate::report::Direction::Equal, true);
        if changes.iter().any(|it| it.what == "rule") {
            change.notes.push("its effect is reported for the expressions that use it".to_owned());
        }
        Some(change)
    };
    names.into_iter().filter_map(change).collect()
}

fn raw_variables(content: &Value) -> Vec<(String, String)> {
    let list = content.pointer("/spec/variables").and_then(Value::as_array).into_iter().flatten();
    let text = |variable: &Value, key: &str| {
        variable.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    list.map(|variable| (text(variable, "name"), text(variable, "expression"))).collect()
}
