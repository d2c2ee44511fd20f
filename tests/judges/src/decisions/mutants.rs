//! Claims of `test --mutate`: that a mutant of a rule is equivalent.

use std::path::{Path, PathBuf};

use kvrules::test::{MutantStatus, SuiteFiles, SuiteLibrary, collect_rules, find_suites, measure_mutants};

use super::domain::{Condition, Domain, Found, Search};
use super::parse::parse_expression;
use super::place::{Place, Rule, State, write_definition};
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 4;

const KIND: &str = "mutant: equivalent";

const SUITE: &str = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [crd.yaml]\ncases:\n- name: nothing\n  object: \
     {apiVersion: example.com/v1, kind: Pond, metadata: {name: a, namespace: b}, spec: {}}\n  expect: accept\n";

/// The two files of a suite.
struct GeneratedFiles {
    definition: String,
}

impl SuiteFiles for GeneratedFiles {
    fn read_text(&self, path: &Path) -> Result<String, String> {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("crd.yaml") => Ok(self.definition.clone()),
            Some("tests.yaml") => Ok(SUITE.to_owned()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn list_folder(&self, _folder: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    fn is_folder(&self, _path: &Path) -> bool {
        false
    }
}

/// Judges the mutants of the rules of a generated definition.
pub(crate) fn judge_mutants(random: &mut Random, search: &mut dyn Search, origin: &str, tally: &mut Tally) {
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(random)).collect();
    let files = GeneratedFiles { definition: write_definition(&places).text };
    let mut library = SuiteLibrary::new(&files);
    let found = find_suites(&mut library, &[PathBuf::from("tests.yaml")], None);
    for rules in collect_rules(&found.suites) {
        for result in measure_mutants(&rules).mutants {
            let status = result.status;
            let is_claim = matches!(status, MutantStatus::Equivalent | MutantStatus::Undecided);
            if !is_claim || result.mutant.site.is_none() {
                continue;
            }
            let Some((place, rule)) = site_of(&result.mutant.pointer) else {
                tally.unjudged("a mutant at an unknown place");
                continue;
            };
            let Some(expr) = result.mutant.after.as_str().and_then(parse_expression) else {
                tally.unjudged("a mutant that the judge cannot read");
                continue;
            };
            let mut mutated = places[place].clone();
            mutated.rules[rule] = Rule::new(expr);
            let differing = find_difference(&places[place], &mutated, search, random);
            if status == MutantStatus::Undecided {
                if matches!(differing, Ok(None)) {
                    tally.missed(KIND);
                }
                continue;
            }
            let differing = differing.map(|state| state.as_ref().map(State::describe));
            tally.judge_found(KIND, origin, differing, |state| {
                let (place, mutated) = (places[place].describe(), mutated.describe());
                format!("rules: {place}\nmutant: {mutated}\nclaim: equivalent\nrefuted by: {state}")
            });
        }
    }
}

/// A state that one of two places accepts.
fn find_difference(one: &Place, other: &Place, search: &mut dyn Search, random: &mut Random) -> Found {
    let domain = Domain::new(&one.shape, one.rules.iter().chain(&other.rules), random);
    let split = one.rules.len();
    let accepts = [0..split, split..domain.rules.len()].map(Condition::all_pass);
    let [one, other] = accepts;
    search.find(&domain, &Condition::differ(one, other))
}

/// The indices in `…/properties/p3/x-kubernetes-validations/0/rule`.
pub(crate) fn site_of(pointer: &str) -> Option<(usize, usize)> {
    let (_, rest) = pointer.split_once("/properties/spec/properties/p")?;
    let (place, rest) = rest.split_once("/x-kubernetes-validations/")?;
    Some((place.parse().ok()?, rest.split('/').next()?.parse().ok()?))
}
