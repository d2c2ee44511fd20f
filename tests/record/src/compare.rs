//! Comparison of the answers of two programs.

use std::collections::BTreeMap;

use crate::answer::{Answer, record};
use crate::counts::is_more_worse;
use crate::flatten::{differ, flatten};
use crate::reasons::Reasons;
use crate::run::{Output, Runner};

/// Most values of one side of an example.
const SHOWN: usize = 3;

/// Differences of one kind: of a place in the output of a command.
struct Kind {
    number: usize,
    runs: usize,
    example: String,
}

/// Runs both programs on the same inputs, and prints what differs. Returns true if nothing is worse without a reason.
///
/// # Errors
///
/// If a program cannot be started.
pub fn compare(runners: &[Runner; 2], only: &str, reasons: &Reasons) -> Result<bool, String> {
    let [before, after] = [record(&runners[0], only)?, record(&runners[1], only)?];
    let different: Vec<(&Answer, &Answer)> =
        before.iter().zip(&after).filter(|(before, after)| before.digest != after.digest).collect();
    println!("{} runs, {} differ", before.len(), different.len());
    let kinds = collect_kinds(runners, &different)?;
    for ((command, place), kind) in &kinds {
        println!("\n{command}: {place}: {} values in {} runs\n{}", kind.number, kind.runs, kind.example);
    }
    Ok(print_counts(&before, &after, reasons))
}

fn collect_kinds(
    runners: &[Runner; 2],
    different: &[(&Answer, &Answer)],
) -> Result<BTreeMap<(String, String), Kind>, String> {
    let mut kinds: BTreeMap<(String, String), Kind> = BTreeMap::new();
    for (answer, _) in different {
        let args = answer.run.args();
        let [before, after] = [runners[0].run(&args, 0)?, runners[1].run(&args, 0)?];
        for (place, [old, new]) in differ(&flatten(&before), &flatten(&after)) {
            let example = || show_example(&answer.run.name(), &old, &new);
            let kind = kinds.entry((answer.run.title(), place)).or_insert_with(|| Kind {
                number: 0,
                runs: 0,
                example: example(),
            });
            kind.number += old.len().max(new.len());
            kind.runs += 1;
        }
        note_unsteady(&answer.run.name(), &before, answer, &mut kinds);
    }
    Ok(kinds)
}

/// A run whose bags of facts are equal differs in its order alone, or is not the same each time.
fn note_unsteady(run: &str, before: &Output, answer: &Answer, kinds: &mut BTreeMap<(String, String), Kind>) {
    if crate::counts::count(before) == answer.counts {
        return;
    }
    let key = (answer.run.title(), "two runs of one program differ".to_owned());
    let kind = kinds.entry(key).or_insert_with(|| Kind { number: 0, runs: 0, example: format!("  {run}") });
    kind.number += 1;
    kind.runs += 1;
}

fn show_example(run: &str, old: &[String], new: &[String]) -> String {
    let mut lines = vec![format!("  {run}")];
    for (sign, values) in [('-', old), ('+', new)] {
        lines.extend(values.iter().take(SHOWN).map(|value| format!("  {sign} {value}")));
    }
    lines.join("\n")
}

/// Prints the totals that differ. Returns true if each that is worse has a reason.
fn print_counts(before: &[Answer], after: &[Answer], reasons: &Reasons) -> bool {
    let [old, new] = [totals(before), totals(after)];
    let mut keys: Vec<&(String, String)> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    println!("\ncounts that differ, before and after:");
    let mut is_well = true;
    for key in keys {
        let number = |totals: &Totals| totals.get(key).copied().unwrap_or_default();
        let (was, is) = (number(&old), number(&new));
        if was == is {
            continue;
        }
        let is_worse = is_more_worse(&key.1).is_some_and(|more| (is > was) == more);
        let reason = reasons.find(&key.0, &key.1);
        is_well &= !is_worse || reason.is_some();
        let note = match (is_worse, reason) {
            (false, _) => String::new(),
            (true, Some(reason)) => format!("  worse: {reason}"),
            (true, None) => "  worse, without a reason".to_owned(),
        };
        println!("  {}: {}: {was} {is}{note}", key.0, key.1);
    }
    is_well
}

type Totals = BTreeMap<(String, String), u64>;

fn totals(answers: &[Answer]) -> Totals {
    let mut totals = Totals::new();
    for answer in answers {
        for (key, number) in &answer.counts {
            *totals.entry((answer.run.title(), key.clone())).or_default() += number;
        }
    }
    totals
}
