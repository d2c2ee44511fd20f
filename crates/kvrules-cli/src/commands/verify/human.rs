//! The report of a verification for a person: how each target came out, and every claim that does not hold.

use std::collections::BTreeSet;

use kvrules::render::one_line;
use kvrules::verify::{ClaimFault, ClaimFinding, ObjectVerdict, Report, RuleReport, SetReport, TargetReport};

use super::LeftOutRule;
use crate::commands::table::{Table, Tone};
use crate::sentences::{count_noun, list_few};
use crate::terminal::ColorPainter;

/// The whole report; nothing if no target was examined.
pub(super) fn render_human(report: &Report, paint: ColorPainter) -> String {
    if report.targets.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(["target", "rules", "exact", "as claimed", "unsupported", "wrong", "inconclusive"]);
    for target in &report.targets {
        let count = target.count_results();
        let number =
            |number: usize, tone: Tone| (number.to_string(), if number == 0 { Tone::Plain } else { tone });
        table.row(vec![
            (target.target.to_owned(), Tone::Plain),
            number(target.rules.len(), Tone::Plain),
            number(count.exact, Tone::Good),
            number(count.as_claimed, Tone::Warn),
            number(count.unsupported, Tone::Warn),
            number(count.faults, Tone::Bad),
            number(count.inconclusive, Tone::Warn),
        ]);
    }
    let details: String = report.targets.iter().map(|target| of_target(target, paint)).collect();
    table.text(paint) + &details
}

/// Summarises the verified rules and the result, in one line.
pub(super) fn verify_summary(report: &Report) -> String {
    let counts = [
        (report.rules, "rule"),
        (report.extra_specs, "extra spec"),
        (report.resources, "definition version"),
        (report.rule_sets, "RuleSet"),
    ];
    let known = counts.iter().filter(|(count, _)| *count > 0);
    let mut known: Vec<String> = known.map(|(count, noun)| count_noun(*count, noun)).collect();
    match report.policies {
        0 => {}
        1 => known.push("1 policy for a kind of objects".to_owned()),
        more => known.push(format!("policies for {more} kinds of objects")),
    }
    let what = if known.is_empty() { count_noun(0, "rule") } else { known.join(" and ") };
    let looked = format!(
        "verified {what} with {}, {}",
        count_noun(report.objects, "object"),
        count_noun(report.comparisons, "comparison")
    );
    let faults: usize = report.targets.iter().map(|target| target.count_results().faults).sum();
    let inconclusive: usize = report.targets.iter().map(|target| target.count_results().inconclusive).sum();
    match (faults, inconclusive) {
        (0, 0) if report.comparisons == 0 => "nothing was verified".to_owned(),
        (0, 0) => format!("{looked}: every claim holds{}", sample_note(report)),
        (0, more) => format!("{looked}: no claim fails, and {} inconclusive", verb_for_count(more)),
        (faults, _) => format!(
            "{looked}: {} not hold",
            if faults == 1 { "1 claim does".to_owned() } else { format!("{faults} claims do") }
        ),
    }
}

/// Describes the sets that were compared as a whole on some objects only, after the summary.
fn sample_note(report: &Report) -> String {
    let sets = report.targets.iter().flat_map(|target| &target.sets).filter(|set| set.is_sample);
    let names: BTreeSet<&str> = sets.map(|set| set.set.as_str()).collect();
    match names.len() {
        0 => String::new(),
        1 => "; the rules of 1 set together were compared on a sample of objects".to_owned(),
        more => format!("; the rules of {more} sets together were compared on samples of objects"),
    }
}

/// The rules that no target says, each cause once.
pub(super) fn left_out(rules: &[LeftOutRule], paint: ColorPainter) -> String {
    let mut causes: Vec<(&str, Vec<String>)> = Vec::new();
    for LeftOutRule { set, rule, cause } in rules {
        let place = if rule.is_empty() { set.clone() } else { format!("`{rule}` in {set}") };
        match causes.iter_mut().find(|(known, _)| known == cause) {
            Some((_, places)) => places.push(place),
            None => causes.push((cause, vec![place])),
        }
    }
    let lines = causes.iter().map(|(cause, places)| {
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        format!("  {}: {cause}\n    {}\n", paint.yellow("inconclusive"), list_few(&places, "rule"))
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{}\n{lines}", paint.bold("left out of every target")) }
}

/// Describes the number of rules left out of every target, after the summary.
pub(super) fn left_out_note(left_out: usize) -> String {
    match left_out {
        0 => String::new(),
        1 => "; 1 rule is left out of every target".to_owned(),
        number => format!("; {number} rules are left out of every target"),
    }
}

fn verb_for_count(number: usize) -> String {
    if number == 1 { "1 is".to_owned() } else { format!("{number} are") }
}

fn of_target(target: &TargetReport, paint: ColorPainter) -> String {
    let rules = target.rules.iter().filter_map(|rule| of_rule(rule, paint));
    let sets = target.sets.iter().filter_map(|set| of_set(set, paint));
    let lines: String = rules.chain(sets).collect();
    let declared = inexact_causes(target);
    if lines.is_empty() && declared.is_empty() {
        return String::new();
    }
    format!("\n{}\n{lines}{declared}", paint.bold(target.target))
}

fn of_rule(rule: &RuleReport, paint: ColorPainter) -> Option<String> {
    let names: Vec<&str> = rule.sets.iter().map(String::as_str).collect();
    let place = format!("`{}` in {}", rule.rule, list_few(&names, "rule set"));
    let place = one_line(&place);
    match &rule.finding {
        ClaimFinding::Fault(fault) => {
            let claim = rule.claim.as_str();
            Some(format!("  {}: {place} claims to be {claim}\n{}", paint.red("wrong"), of_fault(fault)))
        }
        ClaimFinding::Inconclusive(why) => {
            Some(format!("  {}: {place}: {}\n", paint.yellow("inconclusive"), one_line(why)))
        }
        ClaimFinding::Exact | ClaimFinding::AsClaimed { .. } | ClaimFinding::Unsupported => None,
    }
}

fn of_set(set: &SetReport, paint: ColorPainter) -> Option<String> {
    if let Some(why) = &set.inconclusive {
        return Some(format!(
            "  {}: {} as a whole: {why}\n",
            paint.yellow("inconclusive"),
            one_line(&set.set)
        ));
    }
    if set.is_sample {
        let objects = count_noun(set.objects, "object");
        return Some(format!(
            "  {}: each rule is proved by itself; all together were compared on {objects}, which are not all cases\n",
            one_line(&set.set)
        ));
    }
    let fault = set.fault.as_ref()?;
    let what = "the rules together differ from the rules one by one";
    Some(format!("  {}: {}: {what}\n{}", paint.red("wrong"), one_line(&set.set), of_fault(fault)))
}

fn of_fault(fault: &ClaimFault) -> String {
    match fault {
        ClaimFault::UnclaimedDeparture { way, object, expected, actual } => format!(
            "    it is {}: the meaning {}, the target {}\n    {}\n",
            way.as_str(),
            verdict_word(*expected),
            verdict_word(*actual),
            render_object(object)
        ),
        ClaimFault::UnprovenDeparture(way) => format!("    no object shows that it is {}\n", way.as_str()),
        ClaimFault::CannotRun(why) => format!("    it cannot be run: {}\n", one_line(why)),
    }
}

/// An object on one line; of one with very many elements the beginning.
fn render_object(object: &serde_json::Value) -> String {
    const MOST: usize = 400;
    let text = object.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}

fn verdict_word(actual: ObjectVerdict) -> &'static str {
    actual.as_str()
}

/// Each cause that rules are not exact, once, with an object that shows it.
fn inexact_causes(target: &TargetReport) -> String {
    let mut causes: Vec<(&str, &str, Vec<&str>, Option<String>)> = Vec::new();
    for rule in &target.rules {
        let example = match &rule.finding {
            ClaimFinding::AsClaimed { wider, narrower } => {
                wider.as_ref().or(narrower.as_ref()).map(render_object)
            }
            ClaimFinding::Unsupported => None,
            _ => continue,
        };
        let Some(cause) = rule.claim.cause() else { continue };
        let word = rule.claim.as_str();
        match causes.iter_mut().find(|known| (known.0, known.1) == (word, cause)) {
            Some(known) => known.2.push(&rule.rule),
            None => causes.push((word, cause, vec![&rule.rule], example)),
        }
    }
    let text = causes.iter().map(|(word, cause, rules, shown)| {
        let mut names: Vec<&str> = rules.clone();
        names.dedup();
        let shown = shown.as_ref().map(|object| format!("    {object}\n")).unwrap_or_default();
        let names = list_few(&names, "rule");
        format!("  {word}, as claimed: {}\n    {}\n{shown}", one_line(cause), one_line(&names))
    });
    text.collect()
}
