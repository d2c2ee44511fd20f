//! Sources that judges generate, for programs that try every command on them.

use kvrules::{FileId, Level, SourceFile};

use crate::Random;
use crate::decisions::place::{Place, write_definition};
use crate::decisions::policies::generate_documents;
use crate::words::{AuthoredRule, random_rule, rule_set_text};

/// Most rules of one RuleSet, and most places of one definition.
const MOST: i64 = 4;

/// RuleSets that are tried for one: rules that contradict each other are an error.
const ATTEMPTS: u64 = 20;

/// Returns a RuleSet with the definition of its subject, as a file of two documents: the first one from a case on that has no error.
pub fn generate_rule_set(seed: u64, case: u64) -> String {
    let candidates =
        (0..).map(|attempt| random_rule_set(&mut Random::of_case(seed, case * ATTEMPTS + attempt)));
    let mut candidates = candidates.take(ATTEMPTS as usize);
    candidates.find(|text| has_no_error(text)).unwrap_or_else(|| rule_set_text(&[]))
}

fn random_rule_set(random: &mut Random) -> String {
    let count = random.between(1, MOST);
    let rules: Vec<AuthoredRule> =
        (0..count).map(|index| random_rule(random, &format!("rule-{index}"))).collect();
    rule_set_text(&rules)
}

fn has_no_error(text: &str) -> bool {
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
    reading.diagnostics.iter().all(|found| found.level != Level::Error)
}

/// Returns a definition with rules in CEL.
pub fn generate_definition(seed: u64, case: u64) -> String {
    let mut random = Random::of_case(seed, case);
    let places: Vec<Place> = (0..random.between(1, MOST)).map(|_| Place::generate(&mut random)).collect();
    write_definition(&places).text
}

/// Returns an admission policy about a built-in kind, or about one that nobody defines, and a changed form of it.
pub fn generate_policies(seed: u64, case: u64) -> [String; 2] {
    generate_documents(&mut Random::of_case(seed, case)).map(|document| document.to_string())
}
