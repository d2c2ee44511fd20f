//! Rules that cannot be expressed as predicates, on one side or both. They are compared by what is written. If that
//! differs, the change is unknown, unless only the message differs.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_ir::{OmittedRule, OmittedRuleContent, Rule};

use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction};

/// Compares the rules that two sets leave out.
pub(super) fn compare_left_out(old: &[OmittedRule], new: &[OmittedRule], comparison: &mut Comparison) {
    for (before, after) in pair_rules(old, new) {
        comparison.compared += 1;
        let change = match before.zip(after) {
            Some((one, other)) if is_same(one, other) => continue,
            Some((one, other)) => message_only(one, other),
            None => None,
        };
        comparison.changes.push(change.unwrap_or_else(|| unknown_change(before, after)));
    }
}

/// True if the rule is known to be the same. Two rules of unknown content are not.
fn is_same(one: &OmittedRule, other: &OmittedRule) -> bool {
    one == other && one.content != OmittedRuleContent::Unknown
}

/// The message and what is the same whatever the message is; nothing if that is unknown.
fn message_and_content(rule: &OmittedRule) -> Option<(String, OmittedRuleContent)> {
    match &rule.content {
        OmittedRuleContent::Rule(rule) => {
            let mut silent = Rule::clone(rule);
            let message = std::mem::take(&mut silent.message);
            Some((message, OmittedRuleContent::Rule(Arc::new(silent))))
        }
        OmittedRuleContent::Text { keys, message } => {
            let silent = OmittedRuleContent::Text { keys: keys.clone(), message: None };
            Some((message.clone()?, silent))
        }
        OmittedRuleContent::Unknown => None,
    }
}

/// The change of a rule that differs only in its message, even though its meaning is unknown.
fn message_only(before: &OmittedRule, after: &OmittedRule) -> Option<Change> {
    let ((old, silent), (new, silent_too)) = (message_and_content(before)?, message_and_content(after)?);
    if silent != silent_too || before.cause != after.cause || before.name != after.name {
        return None;
    }
    let limits = vec![ChangedLimit::new("message", Some(old), Some(new))];
    let notes = vec![format!("the rule is left out on both sides: {}", before.cause)];
    let change = Change::new(name(Some(before)), "rule left out", limits);
    let (old, new) = (rule_site(Some(before)), rule_site(Some(after)));
    Some(Change { direction: Direction::MessageOnly, proved: true, old, new, notes, ..change })
}

fn rule_site(rule: Option<&OmittedRule>) -> ChangeSite {
    rule.and_then(|rule| rule.origin.span()).map_or(ChangeSite::Absent, ChangeSite::Span)
}

fn name(rule: Option<&OmittedRule>) -> &str {
    rule.map(|rule| rule.name.as_str()).filter(|name| !name.is_empty()).unwrap_or("(unnamed rule)")
}

type LeftOutPair<'r> = (Option<&'r OmittedRule>, Option<&'r OmittedRule>);

/// Pairs old rules with new ones: the same rule, else the next of the same name. Many may have no name.
fn pair_rules<'r>(old: &'r [OmittedRule], new: &'r [OmittedRule]) -> Vec<LeftOutPair<'r>> {
    let mut by_name: HashMap<&str, Vec<&OmittedRule>> = HashMap::new();
    for rule in new.iter().rev() {
        by_name.entry(&rule.name).or_default().push(rule);
    }
    let mut partners: Vec<Option<&OmittedRule>> = vec![None; old.len()];
    let mut take = |fits: &dyn Fn(&OmittedRule, &OmittedRule) -> bool| {
        for (rule, partner) in old.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let Some(left) = by_name.get_mut(rule.name.as_str()) else { continue };
            let at = left.iter().rev().take(MOST_OF_A_NAME).position(|other| fits(rule, other));
            *partner = at.map(|at| left.remove(left.len() - 1 - at));
        }
    };
    take(&is_same);
    take(&|_, _| true);
    let mut pairs: Vec<LeftOutPair<'r>> = old.iter().map(Some).zip(partners).collect();
    let mut added: Vec<&OmittedRule> = by_name.into_values().flatten().collect();
    let place = |rule: &&OmittedRule| rule.origin.span().map(|span| span.start);
    added.sort_by_key(|rule| place(rule));
    pairs.extend(added.into_iter().map(|rule| (None, Some(rule))));
    pairs
}

/// Number of rules of one name that are searched for the same rule.
const MOST_OF_A_NAME: usize = 1_000;

fn unknown_change(before: Option<&OmittedRule>, after: Option<&OmittedRule>) -> Change {
    let cause = |rule: Option<&OmittedRule>| rule.map(|rule| rule.cause.to_string());
    let (old_cause, new_cause) = (cause(before), cause(after));
    let mut notes = Vec::new();
    let limits = if old_cause == new_cause {
        let what = match before.map(|rule| &rule.content) {
            Some(OmittedRuleContent::Unknown) => "the rule cannot be compared as it is written",
            _ => "the rule is written differently",
        };
        notes.push(format!("{what}, and left out on both sides: {}", old_cause.unwrap_or_default()));
        Vec::new()
    } else {
        vec![ChangedLimit::new("left out, since", old_cause, new_cause)]
    };
    notes.push("the rule has no defined meaning to compare".to_owned());
    let change = Change::new(name(before.or(after)), "rule left out", limits);
    Change { old: rule_site(before), new: rule_site(after), notes, ..change }
}
