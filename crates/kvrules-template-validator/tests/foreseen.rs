//! Compares predictions for a rule alone with its recorded results on objects.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test shows its counts and may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};

use kvrules_diagnostics::FileId;
use kvrules_elaborate::annotation::{self, VM_ANNOTATION};
use kvrules_elaborate::{catalog::Catalog, elaborate_rule_set};
use kvrules_syntax::{Node, parse_json, parse_stream};
use kvrules_template_validator::divergence::{
    DIFFERENCES, DifferenceEffect, PredictedDifference, StandaloneRule, compare_annotation,
    predict_differences,
};
use serde_json::{Value, json};

/// Returns the predictions for each member of an annotation's list, with the member's text.
fn foreseen(annotation: &annotation::Annotation<'_>) -> Vec<(String, Vec<PredictedDifference>)> {
    let set = annotation::read_rule_set(annotation, "rules");
    let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
    let mut names = HashSet::new();
    let rules = annotation.root().into_iter().flat_map(Node::items).map(|node| {
        let span = Some(node.span());
        let left_out = set.unread.iter().chain(&elaboration.left_out);
        let mut rule = StandaloneRule::new(
            node,
            set.rules.iter().find(|rule| rule.origin.span() == span).map(AsRef::as_ref),
            elaboration.rules.iter().find(|rule| rule.origin.span() == span),
            left_out.into_iter().find(|rule| rule.origin.span() == span).map(|rule| rule.cause.kind),
            false,
        );
        rule.is_name_taken = !names.insert(rule.written.name.clone());
        (format!("{:?}", rule.written), predict_differences(&rule))
    });
    rules.collect()
}

/// Recorded result of one rule on one object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorded {
    /// The validator did not come to the rule, or skipped it.
    Nothing,
    /// It refused the annotation.
    Refused,
    Crashed,
    /// The rule was in error, or unsatisfied and no warning.
    Denied,
    Passed,
}

fn recorded(row: &Value, at: usize, only_warns: bool) -> Recorded {
    if !row["vmError"].is_null() {
        return Recorded::Nothing;
    }
    if !row["parseError"].is_null() {
        return Recorded::Refused;
    }
    if !row["panic"].is_null() {
        return Recorded::Crashed;
    }
    let status = &row["status"][at];
    match status {
        status if status["skipped"] == true => Recorded::Nothing,
        status if !status["error"].is_null() => Recorded::Denied,
        status if status["satisfied"] == false && !only_warns => Recorded::Denied,
        _ => Recorded::Passed,
    }
}

/// True if a prediction came true; `None` if that cannot be decided.
fn is_true(foreseen: &PredictedDifference, recorded: Recorded) -> Option<bool> {
    match (foreseen.effect, recorded) {
        (DifferenceEffect::Differs, _) | (_, Recorded::Nothing) => None,
        (_, Recorded::Refused) => (foreseen.difference.id == "D21").then_some(true),
        // Some other rule of the annotation may have crashed; that denies, whichever it was.
        (_, Recorded::Crashed) => Some(true),
        (DifferenceEffect::Denies, recorded) => Some(recorded == Recorded::Denied),
        (DifferenceEffect::Panics, _) => Some(false),
    }
}

#[derive(Default)]
struct Tally {
    right: usize,
    rules: BTreeSet<String>,
    wrong: Vec<String>,
    /// Rules of which it is foreseen that the models differ on some objects, and on one of the case they do.
    differing: BTreeSet<String>,
}

/// Of a rule that applied: on how many objects it was in error, on how many it applied, whether that is foreseen, and the
/// last error.
type Always = (usize, usize, bool, String);

#[derive(Default)]
struct Tallies {
    signs: BTreeMap<(&'static str, DifferenceEffect), Tally>,
    always: BTreeMap<String, Always>,
}

impl Tallies {
    fn case(&mut self, line: &str) {
        let row: Value = serde_json::from_str(line).unwrap();
        let rules = row["rules"].as_str().unwrap();
        let holder = json!({"kind": "VirtualMachine", "metadata": {"annotations": {VM_ANNOTATION: rules}}})
            .to_string();
        let document = parse_json(FileId(0), &holder);
        let Some(annotation) = annotation::find_annotations(&document).into_iter().next() else { return };
        let foreseen = foreseen(&annotation);
        let differs = |(_, signs): &(String, Vec<PredictedDifference>)| {
            signs.iter().any(|sign| sign.effect == DifferenceEffect::Differs)
        };
        let compared =
            foreseen.iter().any(differs).then(|| compare_annotation(rules, &row["vm"].to_string()).unwrap());
        for (at, (rule, signs)) in foreseen.into_iter().enumerate() {
            let answer = &row["expected"];
            let recorded = recorded(answer, at, rule.contains("just_warning: true"));
            self.count_errors(&rule, &answer["status"][at]["error"], recorded, &signs);
            let differs = compared.as_ref().is_some_and(|compared| {
                let whole = compared.rules.is_empty() && compared.spec_allows != compared.ssp_allows;
                whole || compared.rules.get(at).is_some_and(|rule| !rule.agree)
            });
            for sign in &signs {
                let tally = self.signs.entry((sign.difference.id, sign.effect)).or_default();
                tally.rules.insert(rule.clone());
                if differs {
                    tally.differing.insert(rule.clone());
                }
                match is_true(sign, recorded) {
                    Some(true) => tally.right += 1,
                    Some(false) => tally.wrong.push(format!("{} #{at}: {}", row["id"], sign.because)),
                    None => {}
                }
            }
        }
    }

    fn count_errors(&mut self, rule: &str, error: &Value, recorded: Recorded, signs: &[PredictedDifference]) {
        if !matches!(recorded, Recorded::Denied | Recorded::Passed) {
            return;
        }
        let entry = self.always.entry(rule.to_owned()).or_default();
        entry.0 += usize::from(!error.is_null());
        entry.1 += 1;
        entry.2 |= signs.iter().any(|sign| sign.effect != DifferenceEffect::Differs);
        error.as_str().unwrap_or_default().clone_into(&mut entry.3);
    }

    fn print(&self) {
        for ((id, effect), tally) in &self.signs {
            let (rules, differing) = (tally.rules.len(), tally.differing.len());
            if *effect == DifferenceEffect::Differs {
                println!("{id} Differs: {rules} rules; on the recorded objects {differing} did");
            } else {
                println!(
                    "{id} {effect:?}: {rules} rules; came true {}, did not {}",
                    tally.right,
                    tally.wrong.len()
                );
            }
            for wrong in tally.wrong.iter().take(5) {
                println!("    {wrong}");
            }
        }
        let unforeseen =
            |(_, (errors, all, certain, _)): &(&String, &Always)| errors == all && *all > 2 && !certain;
        let unforeseen: Vec<_> = self.always.iter().filter(unforeseen).collect();
        println!(
            "{} rules; in error on each of three or more objects and not foreseen: {}",
            self.always.len(),
            unforeseen.len()
        );
        for (rule, (_, all, _, error)) in unforeseen.iter().take(12) {
            println!("    {all} times {error}: {rule}");
        }
    }
}

#[test]
fn what_is_foreseen_to_deny_or_crash_does_on_every_recorded_object() {
    let mut tallies = Tallies::default();
    for name in ["kubevirt/evaluator-cases.jsonl", "kubevirt/semantics-examples.jsonl"] {
        let Some(text) = kvrules_testdata::read_text(name) else { return };
        text.lines().filter(|line| !line.is_empty()).for_each(|line| tallies.case(line));
    }
    tallies.print();
    assert!(tallies.signs.values().all(|tally| tally.wrong.is_empty()));
}

#[test]
fn released_templates_are_foreseen_to_deny_nothing() {
    let mut counts = BTreeMap::<_, (usize, String)>::new();
    let mut rules = 0;
    for name in ["common-templates-v0.25.0", "common-templates-v0.35.0", "common-templates-s390x-v0.35.0"] {
        let path = format!("kubevirt/templates/{name}.yaml");
        let Some(text) = kvrules_testdata::read_text(&path) else { return };
        let stream = parse_stream(FileId(0), &text);
        for document in &stream.documents {
            for annotation in annotation::find_annotations(document) {
                for (_, signs) in foreseen(&annotation) {
                    rules += 1;
                    for sign in signs {
                        let count = counts.entry((sign.difference.id, sign.effect)).or_default();
                        count.0 += 1;
                        count.1 = sign.because;
                    }
                }
            }
        }
    }
    println!("{rules} rules");
    for (sign, count) in &counts {
        println!("{sign:?}: {count:?}");
    }
    assert!(counts.keys().all(|(_, effect)| *effect == DifferenceEffect::Differs));
}

#[test]
fn a_difference_that_shows_in_a_rule_is_foreseen_from_the_example_on_its_page() {
    let mut silent = Vec::new();
    for difference in DIFFERENCES.iter().filter(|difference| difference.in_rule.is_some()) {
        let page = kvrules_template_validator::divergence::difference_page(difference.id).unwrap();
        let rules = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
        let holder = json!({"kind": "VirtualMachine", "metadata": {"annotations": {VM_ANNOTATION: rules}}})
            .to_string();
        let document = parse_json(FileId(0), &holder);
        let signs: Vec<_> = foreseen(&annotation::find_annotations(&document)[0])
            .into_iter()
            .flat_map(|(_, signs)| signs)
            .collect();
        if !signs.iter().any(|sign| sign.difference.id == difference.id) {
            silent.push(format!(
                "{}: {:?} in {rules}",
                difference.id,
                signs.iter().map(|sign| sign.difference.id).collect::<Vec<_>>()
            ));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
