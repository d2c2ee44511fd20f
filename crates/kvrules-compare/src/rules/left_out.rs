//! Rules that no predicate can be made of, on one side or both: they are compared by what is written, and where that
//! differs nobody knows what became of them.

use std::collections::HashMap;

use kvrules_diagnostics::Origin;
use kvrules_ir::{LeftOut, LeftOutContent};

use crate::report::{Change, Comparison, Limit, Site};

/// Compares the rules that two sets leave out.
pub(super) fn compare(old: &[LeftOut], new: &[LeftOut], comparison: &mut Comparison) {
    for (before, after) in pairs(old, new) {
        comparison.compared += 1;
        let same = before.zip(after).is_some_and(|(one, other)| is_same(one, other));
        if !same {
            comparison.changes.push(unknown(before, after));
        }
    }
}

/// True if the rule is known to be the same: two that nothing is known of are not.
fn is_same(one: &LeftOut, other: &LeftOut) -> bool {
    one == other && one.content != LeftOutContent::Unknown
}

type Pair<'r> = (Option<&'r LeftOut>, Option<&'r LeftOut>);

/// Which rule became which: the same rule, else the next of the same name. Many may have no name.
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

/// How many rules of one name are looked through for the same rule.
const MOST_OF_A_NAME: usize = 1_000;

fn unknown(before: Option<&LeftOut>, after: Option<&LeftOut>) -> Change {
    let cause = |rule: Option<&LeftOut>| rule.map(|rule| rule.cause.to_string());
    let site = |origin: Origin| origin.span().map_or(Site::Nowhere, Site::Span);
    let site = |rule: Option<&LeftOut>| rule.map_or(Site::Nowhere, |rule| site(rule.origin));
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
    notes.push("the rule has no meaning that could be compared".to_owned());
    let name = before.or(after).map(|rule| rule.name.as_str()).filter(|name| !name.is_empty());
    let name = name.unwrap_or("(unnamed rule)");
    let change = Change::new(name, "rule left out", limits);
    Change { old: site(before), new: site(after), notes, ..change }
}
