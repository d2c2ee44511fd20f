//! Rules that cannot be expressed as predicates, on one side or both. They are compared by what is written. If that
//! differs, the change is unknown, unless only the message differs.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_ir::{LeftOut, LeftOutContent, Rule};

use crate::report::{Change, Comparison, Direction, Limit, Site};

/// Compares the rules that two sets leave out.
pub(super) fn compare(old: &[LeftOut], new: &[LeftOut], comparison: &mut Comparison) {
    for (before, after) in pairs(old, new) {
        comparison.compared += 1;
        let change = match before.zip(after) {
            Some((one, other)) if is_same(one, other) => continue,
            Some((one, other)) => message_only(one, other),
            None => None,
        };
        comparison.changes.push(change.unwrap_or_else(|| unknown(before, after)));
    }
}

/// True if the rule is known to be the same. Two rules of unknown content are not.
fn is_same(one: &LeftOut, other: &LeftOut) -> bool {
    one == other && one.content != LeftOutContent::Unknown
}

/// The message and what is the same whatever the message is; nothing if that is unknown.
fn parts(rule: &LeftOut) -> Option<(String, LeftOutContent)> {
    match &rule.content {
        LeftOutContent::Rule(rule) => {
            let mut silent = Rule::clone(rule);
            let message = std::mem::take(&mut silent.message);
            Some((message, LeftOutContent::Rule(Arc::new(silent))))
        }
        LeftOutContent::Text { keys, message } => {
            let silent = LeftOutContent::Text { keys: keys.clone(), message: None };
            Some((message.clone()?, silent))
        }
        LeftOutContent::Unknown => None,
    }
}

/// The change of a rule that says the same in other words, whatever it says.
fn message_only(before: &LeftOut, after: &LeftOut) -> Option<Change> {
    let ((old, silent), (new, silent_too)) = (parts(before)?, parts(after)?);
    if silent != silent_too || before.cause != after.cause || before.name != after.name {
        return None;
    }
    let limits = vec![Limit::new("message", Some(old), Some(new))];
    let notes = vec![format!("the rule is left out on both sides: {}", before.cause)];
    let change = Change::new(name(Some(before)), "rule left out", limits);
    let (old, new) = (site(Some(before)), site(Some(after)));
    Some(Change { direction: Direction::MessageOnly, proved: true, old, new, notes, ..change })
}

fn site(rule: Option<&LeftOut>) -> Site {
    rule.and_then(|rule| rule.origin.span()).map_or(Site::Nowhere, Site::Span)
}

fn name(rule: Option<&LeftOut>) -> &str {
    rule.map(|rule| rule.name.as_str()).filter(|name| !name.is_empty()).unwrap_or("(unnamed rule)")
}

type Pair<'r> = (Option<&'r LeftOut>, Option<&'r LeftOut>);

/// Pairs old rules with new ones: the same rule, else the next of the same name. Many may have no name.
fn pairs<'r>(old: &'r [LeftOut], new: &'r [LeftOut]) -> Vec<Pair<'r>> {
    let mut by_name: HashMap<&str, Vec<&LeftOut>> = HashMap::new();
    for rule in new.iter().rev() {
        by_name.entry(&rule.name).or_default().push(rule);
    }
    let mut partners: Vec<Option<&LeftOut>> = vec![None; old.len()];
    let mut take = |fits: &dyn Fn(&LeftOut, &LeftOut) -> bool| {
        for (rule, partner) in old.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let Some(left) = by_name.get_mut(rule.name.as_str()) else { continue };
            let at = left.iter().rev().take(MOST_OF_A_NAME).position(|other| fits(rule, other));
            *partner = at.map(|at| left.remove(left.len() - 1 - at));
        }
    };
    take(&is_same);
    take(&|_, _| true);
    let mut pairs: Vec<Pair<'r>> = old.iter().map(Some).zip(partners).collect();
    let mut added: Vec<&LeftOut> = by_name.into_values().flatten().collect();
    let place = |rule: &&LeftOut| rule.origin.span().map(|span| span.start);
    added.sort_by_key(|rule| place(rule));
    pairs.extend(added.into_iter().map(|rule| (None, Some(rule))));
    pairs
}

/// Number of rules of one name that are searched for the same rule.
const MOST_OF_A_NAME: usize = 1_000;

fn unknown(before: Option<&LeftOut>, after: Option<&LeftOut>) -> Change {
    let cause = |rule: Option<&LeftOut>| rule.map(|rule| rule.cause.to_string());
    let (old_cause, new_cause) = (cause(before), cause(after));
    let mut notes = Vec::new();
    let limits = if old_cause == new_cause {
        let what = match before.map(|rule| &rule.content) {
            Some(LeftOutContent::Unknown) => "the rule cannot be compared as it is written",
            _ => "the rule is written differently",
        };
        notes.push(format!("{what}, and left out on both sides: {}", old_cause.unwrap_or_default()));
        Vec::new()
    } else {
        vec![Limit::new("left out, since", old_cause, new_cause)]
    };
    notes.push("the rule has no defined meaning to compare".to_owned());
    let change = Change::new(name(before.or(after)), "rule left out", limits);
    Change { old: site(before), new: site(after), notes, ..change }
}
