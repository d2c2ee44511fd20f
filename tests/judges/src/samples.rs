//! The judge of samples: pages of random RuleSets, whose ✓ and ✗ are held to what all words of the set mean, and to the schema.

use kvrules::docs::fact::{Fact, FactValue};
use kvrules::docs::{
    AuthorNotation, Grouping, PagesInput, ResourcePagesInput, RuleLocations, add_resource_pages, build_pages,
};
use kvrules::rule_set::RuleSet;
use kvrules::{FileId, Request, SourceFile, Sources};
use serde_json::Value as Json;

use crate::words::{AuthoredRule, Situation, has_types, random_rule, rule_set_text, with_defaults};
use crate::{Budget, Judge, Random, Tally};

/// Most rules of one RuleSet.
const RULES: i64 = 5;

pub(crate) static JUDGE: Judge = Judge {
    name: "samples",
    claims: "objects on pages of RuleSets that pass and that fail",
    claims_in_tests: 300,
    common_kinds: &["sample that fails", "sample that passes"],
    rare_kinds: &[],
    run,
};

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut case = 0;
    while !budget.is_spent(&tally) {
        judge_page(seed, case, &mut tally);
        case += 1;
    }
    tally
}

fn judge_page(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let count = random.between(2, RULES);
    let rules: Vec<AuthoredRule> =
        (0..count).map(|index| random_rule(&mut random, &format!("rule-{index}"))).collect();
    let text = rule_set_text(&rules);
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
    let Some(set) = reading.rule_sets.first().filter(|set| set.rules.len() == rules.len()) else {
        tally.unjudged("a rule is refused");
        return;
    };
    for (title, facts) in pages_of(set) {
        let Some(rule) = rules.iter().find(|rule| rule.rule["name"] == title.as_str()) else { continue };
        for fact in &facts {
            let is_pass = match fact.kind.as_str() {
                "passes" => true,
                "fails" => false,
                _ => continue,
            };
            let origin = format!("seed {seed}, case {case}, {title}");
            let refutation = refute_sample(&rules, rule, fact, is_pass);
            tally.judge(if is_pass { "sample that passes" } else { "sample that fails" }, origin, refutation);
        }
        for (kind, counted) in [("passes", "sample that passes"), ("fails", "sample that fails")] {
            if !facts.iter().any(|fact| fact.kind == kind) {
                tally.missed(counted);
            }
        }
    }
}

/// The names of rules on the pages of a set, with their facts.
fn pages_of(set: &RuleSet) -> Vec<(String, Vec<Fact>)> {
    let sources = Sources::default();
    let places = RuleLocations { sources: &sources, link: None };
    let notation = AuthorNotation::Plain;
    let request = Request::for_virtual_machines(&[]);
    let pages = PagesInput { request, places, notation, grouping: Grouping::Set };
    let sets = [set];
    let given = ResourcePagesInput { resources: &[], rule_sets: &sets, places, notation, format: None };
    let Ok(mut document) = build_pages(&pages) else { return Vec::new() };
    if add_resource_pages(&mut document, &given).is_err() {
        return Vec::new();
    }
    let sections = document.resources.iter().flat_map(|page| &page.sections);
    let rules = sections.flat_map(|section| &section.rules);
    rules.map(|rule| (rule.title.clone(), rule.facts.clone())).collect()
}

/// The printed object, and the stored one that it replaces.
fn read_sample(fact: &Fact) -> Option<(Json, Option<Json>)> {
    let FactValue::Code(code) = &fact.value else { return None };
    let yaml = |text: &str| serde_yaml::from_str::<Json>(text).ok();
    match code.strip_prefix("# stored\n").and_then(|rest| rest.split_once("\n# updated\n")) {
        Some((stored, object)) => Some((yaml(object)?, Some(yaml(stored)?))),
        None => Some((yaml(code)?, None)),
    }
}

/// The reason why a sample is not what it is said to be.
fn refute_sample(rules: &[AuthoredRule], of: &AuthoredRule, fact: &Fact, is_pass: bool) -> Option<String> {
    let Some((object, stored)) = read_sample(fact) else { return Some(format!("not readable: {fact:?}")) };
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
