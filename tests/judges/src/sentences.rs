//! The judge of sentences: reads the message of each generated rule back into a condition, and compares it with what the words of the rule
//! mean, on random objects. Sentences about rules in CEL on pages of definitions and policies, and on pages of annotations, likewise.

pub(crate) mod annotations;
mod coverage;
mod formula_reader;
mod formulas;
mod reader;
mod terms;

use kvrules::{FileId, SourceFile};

use self::reader::read_demand;
use crate::words::{AuthoredRule, Said, Situation, random_object, random_rule, rule_set_text};
use crate::{Budget, Judge, Random, Tally};

/// Rules of one RuleSet.
const RULES: usize = 40;

/// Objects on which a sentence is compared with its rule.
const OBJECTS: usize = 60;

pub(crate) static JUDGE: Judge = Judge {
    name: "sentences",
    claims: "messages of words, and sentences of rules in CEL and of annotations, read back",
    claims_in_tests: 2400,
    common_kinds: &[
        "message of an update",
        "message of words",
        formulas::KIND,
        formulas::POLICY_KIND,
        annotations::REQUIREMENT,
        annotations::CONDITION,
        annotations::ABSENCE,
        annotations::DEFAULT,
        coverage::PART,
        coverage::BOUNDARY,
        coverage::VERDICT,
    ],
    rare_kinds: &[],
    run,
};

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut case = 0;
    while !budget.is_spent(&tally) {
        match case % 6 {
            0 => judge_rule_set(seed, case, &mut tally),
            1 => formulas::judge_page(seed, case, &mut tally),
            2 => formulas::judge_policies(seed, case, &mut tally),
            3 => annotations::judge_annotation(seed, case, &mut tally),
            4 => coverage::judge_suite(seed, case, &mut tally),
            _ => coverage::judge_definition(seed, case, &mut tally),
        }
        case += 1;
    }
    tally
}

fn judge_rule_set(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let rules: Vec<AuthoredRule> =
        (0..RULES).map(|index| random_rule(&mut random, &format!("rule-{index}"))).collect();
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", rule_set_text(&rules)));
    let Some(set) = reading.rule_sets.first() else {
        tally.unjudged("a RuleSet is not read");
        return;
    };
    for (index, rule) in rules.iter().enumerate() {
        let name = format!("rule-{index}");
        let Some(written) = set.rules.iter().find(|written| written.name == name) else {
            tally.unjudged("a rule is refused");
            continue;
        };
        let kind = if rule.is_about_updates { "message of an update" } else { "message of words" };
        let Some(said) = read_demand(&written.message) else {
            tally.missed(kind);
            tally.unjudged(&format!("a sentence is not understood: {} ({})", written.message, rule.rule));
            continue;
        };
        let refutation = refute(&mut random, rule, &said);
        let origin = format!("seed {seed}, case {case}, {name}");
        tally.judge(
            kind,
            origin,
            refutation.map(|object| format!("rule {}\nsays {}\n{object}", rule.rule, written.message)),
        );
    }
}

/// An object about which a rule and its sentence differ.
fn refute(random: &mut Random, rule: &AuthoredRule, said: &Said) -> Option<String> {
    (0..OBJECTS).find_map(|_| {
        let value = random_object(random);
        let stored = rule.is_about_updates.then(|| random_object(random));
        let given = Situation { value: &value, stored: stored.as_ref() };
        let (meant, told) = (rule.meaning.holds(given), said.holds(given));
        let stored = stored.as_ref().map(|stored| format!("stored {stored}\n")).unwrap_or_default();
        (meant != told)
            .then(|| format!("{stored}object {value}\nby the rule {meant}, by the sentence {told}"))
    })
}
