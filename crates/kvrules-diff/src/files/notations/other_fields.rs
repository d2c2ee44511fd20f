//! The requirements of a definition for fields that no rule of the other side reads, as one change.

use std::collections::BTreeSet;

use super::super::rule_sets::rule_changes::joined_direction;
use super::side_rules::SideRules;
use crate::report::{Change, ChangeSite, ChangedLimit, EffectAnswer};

/// The least number of changes that are joined.
const LEAST: usize = 3;

/// Number of fields that are named.
const SHOWN: usize = 3;

/// Joins the changes of keywords at fields that rules do not name, if they are many.
pub(super) fn join_other_fields(changes: Vec<Change>, sides: &[SideRules; 2]) -> Vec<Change> {
    let names = field_names(sides);
    let is_other = |change: &Change| {
        let own = last_name(&change.at);
        !own.is_empty() && !names.contains(own) && !change.limits.iter().any(|limit| limit.key == "rule")
    };
    let (others, mut kept): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(is_other);
    if others.len() < LEAST {
        kept.extend(others);
        return kept;
    }
    kept.push(join_changes(others));
    kept
}

/// The names in the rules of both sides.
fn field_names(sides: &[SideRules; 2]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |text: &str| names.extend(words_in(text).map(str::to_owned));
    for side in sides {
        for rule in &side.rules {
            rule.entries.all().iter().for_each(|entry| add(&entry.to_string()));
            add(&kvrules_generate::place_text(&rule.place));
        }
        side.opaque.iter().for_each(|part| add(&part.name));
    }
    names
}

/// The words of a text that may be names of fields.
pub(super) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"_$-".contains(c));
    words.filter(|word| !word.is_empty())
}

/// The last name of a path such as `spec.limits.*` or `spec.ports[*].name`.
fn last_name(path: &str) -> &str {
    let end = path.trim_end_matches(|c: char| "[]*.".contains(c));
    end.rsplit(['.', ']']).next().unwrap_or_default()
}

fn join_changes(changes: Vec<Change>) -> Change {
    let answer =
        |answer: fn(&Change) -> EffectAnswer| changes.iter().map(answer).max().unwrap_or(EffectAnswer::No);
    let (tightens, loosens) = (answer(Change::tightens), answer(Change::loosens));
    let count = changes.len();
    let is_new = changes.iter().any(|change| change.old == ChangeSite::Absent);
    let counted = Some(format!("{count} keywords"));
    let (before, after) = if is_new { (None, counted) } else { (counted, None) };
    let mut joined =
        Change::new("other fields", "value", vec![ChangedLimit::new("definition", before, after)]);
    (joined.direction, joined.at_most) = joined_direction(tightens, loosens, false);
    joined.proved = tightens != EffectAnswer::Unknown && loosens != EffectAnswer::Unknown;
    joined.objects = changes.iter().map(|change| change.objects).sum();
    let mut fields: Vec<String> = changes.iter().map(|change| format!("`{}`", change.at)).collect();
    fields.dedup();
    let rest = fields.len().saturating_sub(SHOWN);
    fields.truncate(SHOWN);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    joined.notes.push(format!("no rule of the other side reads {}{more}", fields.join(", ")));
    for change in changes {
        if joined.old == ChangeSite::Absent && joined.new == ChangeSite::Absent {
            (joined.old, joined.new) = (change.old, change.new);
        }
        joined.refused = joined.refused.or(change.refused);
        joined.accepted = joined.accepted.or(change.accepted);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_path_is_found() {
        for (path, name) in [
            ("spec.limits.*", "limits"),
            ("spec.ports[*].name", "name"),
            ("spec.ports[*]", "ports"),
            ("spec", "spec"),
            ("", ""),
        ] {
            assert_eq!(last_name(path), name);
        }
    }
}
