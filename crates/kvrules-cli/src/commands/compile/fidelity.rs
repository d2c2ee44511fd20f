//! Fidelity of the targets to the rules: numbers as a table, and inexact rules, cause by cause.

use std::collections::BTreeSet;

use kvrules::loss::{LossReport, RuleLoss, Totals};
use kvrules::render::one_line;
use kvrules::rule_set::RuleSet;
use kvrules::{ElaboratedSet, Exactness, Request, ResourceVersion};

use crate::commands::table::{Table, Tone};
use crate::sentences::{count_noun, list_few};
use crate::terminal::{ColorPainter, Terminal, print_error};

/// Formats the amount of compiled input, and then targets × words.
pub(super) fn fidelity_table(amount: &str, report: &LossReport, paint: ColorPainter) -> String {
    let mut all = Totals::default().by_exactness();
    for target in &report.targets {
        for (sum, (_, number)) in all.iter_mut().zip(target.totals.by_exactness()) {
            sum.1 += number;
        }
    }
    // Columns without any rule are left out, except for the first.
    let shown: Vec<_> = (0..all.len())
        .filter(|column| *column == 0 || all.get(*column).is_some_and(|(_, number)| *number > 0))
        .collect();
    let words = shown.iter().filter_map(|column| all.get(*column)).map(|(exactness, _)| exactness.as_str());
    let mut table = Table::new(["target"].into_iter().chain(words));
    for target in &report.targets {
        let numbers = target.totals.by_exactness();
        let cells = shown
            .iter()
            .filter_map(|column| numbers.get(*column))
            .map(|(exactness, number)| count_cell(*exactness, *number));
        table.row(std::iter::once((target.name.clone(), Tone::Plain)).chain(cells).collect());
    }
    format!("{amount}\n\n{}", table.text(paint))
}

/// `7 rule sets with 20 rules, used by 172 templates`, `525 extra specs`, or `3 versions of definitions`.
pub(super) fn compiled_amount(request: &Request<'_>) -> String {
    let parts = [
        (!request.sets.is_empty()).then(|| of_sets(request.sets)),
        (!request.definitions.is_empty()).then(|| count_noun(request.definitions.len(), "extra spec")),
        of_resources(request.resources),
        (!request.authored.is_empty()).then(|| of_authored(request.authored)),
        of_policies(request.resources),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { of_sets(request.sets) } else { parts.join("; ") }
}

fn of_resources(versions: &[ResourceVersion]) -> Option<String> {
    let versions: Vec<_> = versions.iter().filter(|version| version.authored.is_none()).collect();
    let definitions: BTreeSet<&str> = versions.iter().map(|version| version.definition.as_str()).collect();
    let count = count_noun(definitions.len(), "definition");
    (!versions.is_empty()).then(|| format!("{count} with {}", count_noun(versions.len(), "version")))
}

/// `2 policies for 3 kinds of objects`.
fn of_policies(versions: &[ResourceVersion]) -> Option<String> {
    let policies = versions.iter().filter_map(|version| version.authored.as_ref()?.policy.as_ref());
    let names: Vec<_> = policies.map(|policy| policy.document.pointer("/metadata/name")).collect();
    let different: BTreeSet<_> = names.iter().map(|name| name.and_then(serde_json::Value::as_str)).collect();
    let kinds = count_noun(names.len(), "kind");
    let policies =
        if different.len() == 1 { "1 policy".to_owned() } else { format!("{} policies", different.len()) };
    (!names.is_empty()).then(|| format!("{policies} for {kinds} of objects"))
}

fn of_authored(sets: &[RuleSet]) -> String {
    let rules = sets.iter().map(|set| set.rules.len()).sum();
    format!("{} with {}", count_noun(sets.len(), "RuleSet"), count_noun(rules, "rule"))
}

fn of_sets(sets: &[ElaboratedSet]) -> String {
    let rules = sets.iter().map(|set| set.rules.len() + set.left_out.len()).sum();
    let users: BTreeSet<_> = sets.iter().flat_map(|set| &set.used_by).map(|user| &user.name).collect();
    let sets = count_noun(sets.len(), "rule set");
    format!("{sets} with {}, used by {}", count_noun(rules, "rule"), count_noun(users.len(), "template"))
}

fn count_cell(exactness: Exactness, number: usize) -> (String, Tone) {
    let tone = match exactness {
        Exactness::Exact => Tone::Good,
        Exactness::Wider => Tone::Warn,
        _ => Tone::Bad,
    };
    // A zero is left blank, so that the other numbers stand out.
    (if number == 0 { String::new() } else { number.to_string() }, tone)
}

/// Reports inexact rules by severity, errors first. Errors are reported even with `--quiet`.
pub(super) fn report_losses(report: &LossReport, terminal: &Terminal) {
    let paint = terminal.paint_error();
    for group in group_losses(report) {
        let text = group.text(paint);
        // The additional newline separates an error from the next output by an empty line, as `print_status` does.
        if group.level == "error" { print_error(&format!("{text}\n")) } else { terminal.print_status(&text) }
    }
}

/// Notes which rules are written in an equivalent form, by their cause.
pub(super) fn report_restated(report: &LossReport, terminal: &Terminal) {
    let mut groups: Vec<RestatedGroup<'_>> = Vec::new();
    for set in &report.sets {
        for rule in &set.rules {
            for (cause, targets) in restated_causes(rule) {
                let known = groups.iter_mut().find(|group| group.cause == cause && group.targets == targets);
                if let Some(group) = known {
                    group.rules.put(&rule.name, &set.name);
                } else {
                    let rules = NamedRules { names: vec![&rule.name], sets: vec![&set.name] };
                    groups.push(RestatedGroup { cause, targets, rules });
                }
            }
        }
    }
    let note = terminal.paint_error().blue("note");
    for RestatedGroup { cause, targets, rules } in &groups {
        let targets = targets.join(", ");
        terminal.print_status(&format!(
            "{note}: restated in {targets}: {}\n  {}\n",
            one_line(cause),
            rules.text()
        ));
    }
}

/// Rules that targets write in an equivalent form for one cause.
struct RestatedGroup<'a> {
    cause: &'a str,
    targets: Vec<&'a str>,
    rules: NamedRules<'a>,
}

/// The causes for which targets write a rule otherwise, each with these targets.
fn restated_causes(rule: &RuleLoss) -> Vec<(&str, Vec<&str>)> {
    let mut causes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (target, of_target) in &rule.targets {
        let Some(cause) = of_target.restated.as_deref() else { continue };
        match causes.iter_mut().find(|known| known.0 == cause) {
            Some(known) => known.1.push(target),
            None => causes.push((cause, vec![target])),
        }
    }
    causes
}

/// Rules that are not exact in the same targets for one cause.
struct LossGroup<'a> {
    level: &'static str,
    word: &'static str,
    cause: &'a str,
    /// The targets; none if the rules are left out of all.
    targets: Vec<&'a str>,
    /// The rules that it is the cause of.
    same: NamedRules<'a>,
    /// The rules with the same cause except for the parts in backticks.
    alike: NamedRules<'a>,
}

/// Rules of sets, each name once.
#[derive(Default)]
struct NamedRules<'a> {
    names: Vec<&'a str>,
    sets: Vec<&'a str>,
}

/// Errors come first; groups with the same targets are adjacent.
fn group_losses(report: &LossReport) -> Vec<LossGroup<'_>> {
    let mut groups: Vec<LossGroup<'_>> = Vec::new();
    for set in &report.sets {
        for rule in &set.rules {
            for own in of_rule(rule) {
                match groups.iter_mut().find(|group| group.is_like(&own)) {
                    Some(group) if group.cause == own.cause => group.same.put(&rule.name, &set.name),
                    Some(group) => group.alike.put(&rule.name, &set.name),
                    None => {
                        let same = NamedRules { names: vec![&rule.name], sets: vec![&set.name] };
                        groups.push(LossGroup { same, ..own });
                    }
                }
            }
        }
    }
    groups.sort_by(|one, other| (one.level, &one.targets).cmp(&(other.level, &other.targets)));
    groups
}

/// The causes why one rule is not exact, each with the targets that it is the cause in.
fn of_rule(rule: &RuleLoss) -> Vec<LossGroup<'_>> {
    let mut groups: Vec<LossGroup<'_>> = Vec::new();
    for (target, of_target) in &rule.targets {
        let Some(level) = of_target.level else { continue };
        let (word, cause) = (of_target.fidelity, of_target.cause.as_deref().unwrap_or_default());
        let same =
            |group: &&mut LossGroup<'_>| (group.level, group.word, group.cause) == (level, word, cause);
        if let Some(group) = groups.iter_mut().find(same) {
            group.targets.push(target);
            continue;
        }
        let (targets, same, alike) = (vec![target.as_str()], NamedRules::default(), NamedRules::default());
        groups.push(LossGroup { level, word, cause, targets, same, alike });
    }
    if let (true, Some(group)) = (rule.left_out, groups.first_mut()) {
        group.targets.clear();
        groups.truncate(1);
    }
    groups
}

impl<'a> NamedRules<'a> {
    fn put(&mut self, rule: &'a str, set: &'a str) {
        for (names, name) in [(&mut self.names, rule), (&mut self.sets, set)] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }

    fn text(&self) -> String {
        let quoted: Vec<_> = self.names.iter().map(|rule| format!("`{rule}`")).collect();
        let quoted: Vec<_> = quoted.iter().map(String::as_str).collect();
        let text = format!("{} in {}", list_few(&quoted, "rule"), list_few(&self.sets, "rule set"));
        one_line(&text).into_owned()
    }
}

impl LossGroup<'_> {
    /// True if another group has the same meaning, but perhaps other values.
    fn is_like(&self, other: &Self) -> bool {
        (self.level, self.word, &self.targets) == (other.level, other.word, &other.targets)
            && plain_words(self.cause).eq(plain_words(other.cause))
    }

    fn text(&self, paint: ColorPainter) -> String {
        let Self { level, word, cause, targets, same, alike } = self;
        let level = if *level == "error" { paint.red(level) } else { paint.yellow(level) };
        let place = if targets.is_empty() {
            paint.bold("left out of every target")
        } else {
            paint.bold(&format!("{word} in {}", targets.join(", ")))
        };
        let alike = Some(alike).filter(|alike| !alike.names.is_empty());
        let alike = alike.map(|alike| format!("  also {}\n", alike.text())).unwrap_or_default();
        format!("{level}: {place}: {}\n  {}\n{alike}", one_line(cause), same.text())
    }
}

/// Returns the parts of a sentence outside of backticks.
fn plain_words(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split('`').step_by(2)
}
