//! The judge of samples: pages of random RuleSets, whose ✓ and ✗ are held to what all words of the set mean, and to the schema. Those on pages
//! of definitions and policies likewise.

mod definitions;
pub(crate) mod policies;

use kvrules::{FileId, SourceFile};
use serde_json::Value as Json;

use crate::pages::rules_of_set;
use crate::words::{
    AuthoredRule, Situation, has_types, random_rule, random_update_rule, rule_set_text, with_defaults,
};
use crate::{Budget, Judge, Random, Tally};

/// Most rules of one RuleSet.
const RULES: i64 = 5;

pub(crate) static JUDGE: Judge = Judge {
    name: "samples",
    claims: "objects on pages of RuleSets, definitions and policies that pass and that fail",
    claims_in_tests: 600,
    common_kinds: &[
        "object of a policy that fails",
        "object of a policy that passes",
        "sample that fails",
        "sample that passes",
        "value of a definition that fails",
        "value of a definition that passes",
    ],
    rare_kinds: &[],
    run,
};

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut case = 0;
    while !budget.is_spent(&tally) {
        match case % 4 {
            0 | 1 => judge_page(seed, case, &mut tally),
            2 => definitions::judge_page(seed, case, &mut tally),
            _ => policies::judge_pages(seed, case, &mut tally),
        }
        case += 1;
    }
    tally
}

fn judge_page(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let count = random.between(2, RULES);
    // Rules about updates seldom meet otherwise.
    let random_rule = if random.chance(1, 3) { random_update_rule } else { random_rule };
    let rules: Vec<AuthoredRule> =
        (0..count).map(|index| random_rule(&mut random, &format!("rule-{index}"))).collect();
    let text = rule_set_text(&rules);
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
    let Some(set) = reading.rule_sets.first().filter(|set| set.rules.len() == rules.len()) else {
        tally.unjudged("a rule is refused");
        return;
    };
    for page in rules_of_set(set).unwrap_or_default() {
        let Some(rule) = rules.iter().find(|rule| rule.rule["name"] == page.title.as_str()) else { continue };
        for (fact, kind) in [("passes", "sample that passes"), ("fails", "sample that fails")] {
            let Some(sample) = page.sample(fact) else {
                tally.missed(kind);
                continue;
            };
            let origin = format!("seed {seed}, case {case}, {}", page.title);
            tally.judge(kind, origin, refute_sample(&rules, rule, &sample, fact == "passes"));
        }
    }
}

/// The printed object, and the stored one that it replaces.
fn read_sample((object, stored): &(String, Option<String>)) -> Option<(Json, Option<Json>)> {
    let yaml = |text: &str| serde_yaml::from_str::<Json>(text).ok();
    match stored {
        Some(stored) => Some((yaml(object)?, Some(yaml(stored)?))),
        None => Some((yaml(object)?, None)),
    }
}

/// The reason why a sample is not what it is said to be.
fn refute_sample(
    rules: &[AuthoredRule],
    of: &AuthoredRule,
    sample: &(String, Option<String>),
    is_pass: bool,
) -> Option<String> {
    let Some((object, stored)) = read_sample(sample) else {
        return Some(format!("not readable: {sample:?}"));
    };
    let (written, old) = (with_defaults(&object), stored.as_ref().map(with_defaults));
    let given = Situation { value: &written, stored: old.as_ref() };
    let violated: Vec<&str> = rules
        .iter()
        .filter(|rule| !rule.meaning.holds(given))
        .filter_map(|rule| rule.rule["name"].as_str())
        .collect();
    let name = of.rule["name"].as_str().unwrap_or_default();
    let is_right = if is_pass { violated.is_empty() } else { violated.contains(&name) };
    let shown = || {
        let rules: Vec<String> = rules.iter().map(|rule| rule.rule.to_string()).collect();
        let stored = stored.as_ref().map(|stored| format!("\nstored {stored}")).unwrap_or_default();
        format!("{}\nobject {object}{stored}\nviolates {violated:?}", rules.join("\n"))
    };
    if !has_types(&object) || stored.as_ref().is_some_and(|stored| !has_types(stored)) {
        return Some(format!("the schema rejects it\n{}", shown()));
    }
    (!is_right).then(shown)
}
