//! Lines of `test --coverage` about words of RuleSets: which parts of rules the cases make true and false, and which bounds they touch. Read back,
//! and counted on the objects of the cases.

mod definitions;

use std::path::{Path as FilePath, PathBuf};

use kvrules::test::{
    AnswerVerdict, BoundaryCoverage, BranchCoverage, RuleCoverage, SuiteFiles, SuiteLibrary, answer_case,
    collect_rules, find_suites, measure_coverage,
};
use kvrules::{FileId, Level, SourceFile};
use serde_json::{Value as Json, json};

pub(super) use self::definitions::judge_definition;
use super::reader::read_part;
use crate::words::{
    AuthoredRule, Path, Said, Situation, Test, has_types, magnitude, random_object, random_rule,
    rule_set_text, values_at, with_defaults,
};
use crate::{Random, Tally};

/// Rules of one RuleSet.
const RULES: usize = 20;

/// Cases of one suite.
const CASES: usize = 6;

/// The kinds of claims.
pub(super) const PART: &str = "coverage of a part of a rule";
pub(super) const BOUNDARY: &str = "coverage of a boundary";
pub(super) const VERDICT: &str = "coverage of a rule";

/// A suite and its rules.
struct Files {
    rules: String,
    suite: String,
}

impl SuiteFiles for Files {
    fn read_text(&self, path: &FilePath) -> Result<String, String> {
        match path.to_str() {
            Some("rules.yaml") => Ok(self.rules.clone()),
            Some("pond.test.yaml") => Ok(self.suite.clone()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn list_folder(&self, _: &FilePath) -> Vec<PathBuf> {
        Vec::new()
    }

    fn is_folder(&self, _: &FilePath) -> bool {
        false
    }
}

/// The object of a case, and the stored one, with defaults.
struct Case {
    object: Json,
    stored: Option<Json>,
}

impl Case {
    fn generate(random: &mut Random) -> Self {
        let object = |random: &mut Random| loop {
            let object = random_object(random);
            if has_types(&object) {
                return object;
            }
        };
        let stored = random.chance(1, 3).then(|| object(random));
        Self { object: object(random), stored }
    }

    fn write(&self, index: usize) -> Json {
        let whole = |object: &Json| {
            let mut whole = json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a", "namespace": "b"}});
            whole["spec"] = object["spec"].clone();
            whole
        };
        let mut case =
            json!({"name": format!("case {index}"), "expect": "accept", "object": whole(&self.object)});
        if let Some(stored) = &self.stored {
            case["old"] = whole(stored);
        }
        case
    }

    fn with_defaults(&self) -> Self {
        Self { object: with_defaults(&self.object), stored: self.stored.as_ref().map(with_defaults) }
    }

    /// A condition on each of the values at a path.
    fn outcomes(&self, (scope, said): &(Path, Said)) -> Vec<bool> {
        let holds = |value: &Json| {
            let stored = self.stored.as_ref().and_then(|stored| values_at(stored, scope).first().copied());
            said.holds(Situation { value, stored })
        };
        values_at(&self.object, scope).into_iter().map(holds).collect()
    }
}

/// Judges the coverage of a generated suite.
pub(super) fn judge_suite(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let rules: Vec<AuthoredRule> =
        (0..RULES).map(|index| random_rule(&mut random, &format!("rule-{index}"))).collect();
    // A RuleSet with a refused rule is not evaluated.
    let is_read = |rule: &&AuthoredRule| {
        let text = rule_set_text(std::slice::from_ref(*rule));
        let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
        reading.diagnostics.iter().all(|finding| finding.level != Level::Error)
    };
    let rules: Vec<AuthoredRule> = rules.iter().filter(is_read).cloned().collect();
    let cases: Vec<Case> = (0..CASES).map(|_| Case::generate(&mut random)).collect();
    let written: Vec<Json> = cases.iter().enumerate().map(|(index, case)| case.write(index)).collect();
    let suite = json!({"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleTests", "rules": ["rules.yaml"], "cases": written});
    let files = Files { rules: rule_set_text(&rules), suite: suite.to_string() };
    let mut library = SuiteLibrary::new(&files);
    let found = find_suites(&mut library, &[PathBuf::from("pond.test.yaml")], None);
    for case in found.suites.iter().flat_map(|suite| &suite.cases) {
        let answer = answer_case(case, &case.subject);
        if answer.verdict == AnswerVerdict::Unevaluated {
            tally.unjudged(&format!("a case is not evaluated: {}", answer.reason));
            return;
        }
    }
    let cases: Vec<Case> = cases.iter().map(Case::with_defaults).collect();
    let measured = collect_rules(&found.suites);
    let mut number = 0;
    for coverage in measured.iter().flat_map(measure_coverage) {
        let named = |rule: &&AuthoredRule| rule.rule["name"] == coverage.site.name.as_str();
        let Some(rule) = rules.iter().find(named) else { continue };
        number += 1;
        let origin = format!("seed {seed}, case {case}, {}", coverage.site.name);
        JudgedRule { rule, cases: &cases, origin }.judge(&coverage, tally);
    }
    if number == 0 {
        tally.unjudged("a suite has no coverage");
    }
}

struct JudgedRule<'c> {
    rule: &'c AuthoredRule,
    cases: &'c [Case],
    origin: String,
}

impl JudgedRule<'_> {
    fn judge(&self, coverage: &RuleCoverage, tally: &mut Tally) {
        let violated = self.count_cases(|case| {
            let given = Situation { value: &case.object, stored: case.stored.as_ref() };
            !self.rule.meaning.holds(given)
        });
        self.compare(VERDICT, "", &[(coverage.violated, violated, "violate the rule")], tally);
        coverage.branches.iter().for_each(|part| self.judge_part(part, tally));
        coverage.boundaries.iter().for_each(|boundary| self.judge_boundary(boundary, tally));
    }

    fn judge_part(&self, part: &BranchCoverage, tally: &mut Tally) {
        let Some(read) = read_part(&part.text) else {
            self.count_unread(PART, &part.text, tally);
            return;
        };
        let count = |wanted: bool| self.count_cases(|case| case.outcomes(&read).contains(&wanted));
        let counts =
            [(part.is_true, count(true), "make it true"), (part.is_false, count(false), "make it false")];
        self.compare(PART, &part.text, &counts, tally);
    }

    fn judge_boundary(&self, boundary: &BoundaryCoverage, tally: &mut Tally) {
        let read = read_part(&boundary.text).and_then(|(scope, said)| match said {
            Said::Passes { path, test, .. } => Some((scope, path, test)),
            _ => None,
        });
        let Some((scope, path, test)) = read else {
            self.count_unread(BOUNDARY, &boundary.text, tally);
            return;
        };
        let count = |wanted: i64| {
            self.count_cases(|case| {
                let values = values_at(&case.object, &scope);
                let values: Vec<&Json> =
                    values.into_iter().flat_map(|value| values_at(value, &path)).collect();
                values.into_iter().any(|value| measure_of(&test, value) == Some(wanted))
            })
        };
        let is_edge = passes_number(&test, boundary.inside.0) && !passes_number(&test, boundary.outside.0);
        let counts = [
            (boundary.inside.1, count(boundary.inside.0), "have the last accepted value"),
            (boundary.outside.1, count(boundary.outside.0), "have the first rejected value"),
            (1, usize::from(is_edge), "are on both sides of the bound"),
        ];
        self.compare(BOUNDARY, &boundary.text, &counts, tally);
    }

    fn count_cases(&self, is_counted: impl Fn(&Case) -> bool) -> usize {
        self.cases.iter().filter(|case| is_counted(case)).count()
    }

    fn count_unread(&self, kind: &'static str, sentence: &str, tally: &mut Tally) {
        tally.missed(kind);
        tally.unjudged(&format!("a sentence is not understood: {sentence} ({})", self.rule.rule));
    }

    /// Counts a claim as wrong if its numbers of cases are not those that were counted.
    fn compare(
        &self,
        kind: &'static str,
        sentence: &str,
        counts: &[(usize, usize, &str)],
        tally: &mut Tally,
    ) {
        let wrong = counts.iter().find(|(claimed, counted, _)| claimed != counted);
        let details = wrong.map(|(claimed, counted, words)| {
            let cases: Vec<String> = self
                .cases
                .iter()
                .map(|case| match &case.stored {
                    Some(stored) => format!("{} (stored {stored})", case.object),
                    None => case.object.to_string(),
                })
                .collect();
            format!(
                "{}\nsays {sentence}\n{claimed} cases {words}, and not {counted}\n{}",
                self.rule.rule,
                cases.join("\n")
            )
        });
        tally.judge(kind, self.origin.clone(), details);
    }
}

/// The number that a test compares with its limits.
fn measure_of(test: &Test, value: &Json) -> Option<i64> {
    let count = |count: usize| i64::try_from(count).ok();
    match test {
        Test::Characters { .. } => count(value.as_str()?.chars().count()),
        Test::Items { .. } => {
            count(value.as_array().map(Vec::len).or(value.as_object().map(serde_json::Map::len))?)
        }
        Test::All(tests) => tests.iter().find_map(|test| measure_of(test, value)),
        Test::Above { .. } | Test::Below { .. } => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Magnitudes are in thousandths.
            let number = magnitude(&text)? / 1e3;
            (number.fract() == 0.0).then_some(number as i64)
        }
        _ => None,
    }
}

/// True if a number, a length or a count passes a test.
fn passes_number(test: &Test, number: i64) -> bool {
    let count = u64::try_from(number).ok();
    match test {
        Test::Characters { least, most } | Test::Items { least, most } => {
            count.is_some_and(|count| (*least..=*most).contains(&count))
        }
        test => test.passes(&Json::from(number)),
    }
}
