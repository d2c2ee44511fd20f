//! How exactly each target says each rule, as a table and as a list of what is not exact.

use kvrules::{ElaboratedSet, Fidelity, Output};

use super::table::{Table, Tone};
use crate::terminal::Paint;
use crate::words::{count, few};

/// Rule sets × targets.
pub(crate) fn table(sets: &[ElaboratedSet], outputs: &[Output], paint: Paint) -> String {
    let names = outputs.iter().map(|output| output.target);
    let mut table = Table::new(["rule set", "rules", "used by"].into_iter().chain(names));
    let columns: Vec<Vec<&[_]>> = outputs.iter().map(|output| by_set(sets, output)).collect();
    for (index, set) in sets.iter().enumerate() {
        let plain = |text: String| (text, Tone::Plain);
        let rules = set.rules.len() + set.left_out.len();
        let mut row = vec![
            plain(set.name.clone()),
            plain(rules.to_string()),
            plain(count(set.used_by.len(), "template")),
        ];
        row.extend(
            columns.iter().map(|column| cell(set, column.get(index).copied().unwrap_or_default(), rules)),
        );
        table.row(row);
    }
    table.text(paint)
}

/// The part of an output's fidelities that belongs to each set.
fn by_set<'o>(sets: &[ElaboratedSet], output: &'o Output) -> Vec<&'o [kvrules::RuleFidelity]> {
    let mut rest = output.emission.fidelity.as_slice();
    let mut parts = Vec::new();
    for set in sets {
        let (part, after) = rest.split_at(set.rules.len().min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// The worst word for a rule set, and how many of its rules it is for.
fn cell(set: &ElaboratedSet, said: &[kvrules::RuleFidelity], rules: usize) -> (String, Tone) {
    let words = said.iter().map(|rule| rule.fidelity.as_str());
    // A rule without a predicate reaches no target.
    let words: Vec<_> = words.chain(set.left_out.iter().map(|_| "unsupported")).collect();
    let worst = [
        ("unsupported", Tone::Bad),
        ("incomparable", Tone::Bad),
        ("wider", Tone::Bad),
        ("narrower", Tone::Warn),
    ];
    let found = worst.into_iter().find(|(word, _)| words.contains(word));
    match found {
        Some((word, tone)) => {
            let number = words.iter().filter(|other| **other == word).count();
            (format!("{word} {number}/{rules}"), tone)
        }
        None if rules == 0 => ("-".to_owned(), Tone::Plain),
        None => ("exact".to_owned(), Tone::Good),
    }
}

/// Each cause that something is not exact, once, with the rules and rule sets that it concerns.
pub(crate) fn causes(sets: &[ElaboratedSet], outputs: &[Output], paint: Paint) -> String {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for set in sets {
        for rule in &set.left_out {
            put(&mut groups, "every target", "unsupported", &rule.cause.text, &set.name, &rule.name);
        }
    }
    for output in outputs {
        for rule in &output.emission.fidelity {
            if let Some(cause) = rule.fidelity.cause() {
                put(
                    &mut groups,
                    output.target,
                    Fidelity::as_str(&rule.fidelity),
                    cause,
                    &rule.set,
                    &rule.rule,
                );
            }
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let told: String = groups.iter().map(|group| group.text(paint)).collect();
    format!("\n{}\n{told}", paint.bold("not exact"))
}

/// Rules that are not exact for one cause.
struct Group<'a> {
    target: &'a str,
    word: &'a str,
    cause: &'a str,
    sets: Vec<&'a str>,
    rules: Vec<&'a str>,
}

fn put<'a>(
    groups: &mut Vec<Group<'a>>,
    target: &'a str,
    word: &'a str,
    cause: &'a str,
    set: &'a str,
    rule: &'a str,
) {
    let same = |group: &&mut Group<'_>| (group.target, group.word, group.cause) == (target, word, cause);
    match groups.iter_mut().find(same) {
        Some(group) => {
            let new = |names: &[&str], name: &str| !names.contains(&name);
            if new(&group.sets, set) {
                group.sets.push(set);
            }
            if new(&group.rules, rule) {
                group.rules.push(rule);
            }
        }
        None => groups.push(Group { target, word, cause, sets: vec![set], rules: vec![rule] }),
    }
}

impl Group<'_> {
    fn text(&self, paint: Paint) -> String {
        let Self { target, word, cause, sets, rules } = self;
        let quoted: Vec<_> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let quoted: Vec<_> = quoted.iter().map(String::as_str).collect();
        format!(
            "  {}, {}: {cause}\n    {} in {}\n",
            paint.bold(target),
            paint.yellow(word),
            few(&quoted, "rule"),
            few(sets, "rule set"),
        )
    }
}
