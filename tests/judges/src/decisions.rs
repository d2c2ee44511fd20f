//! The judge of decisions: what is constant, implied, contradictory, equal, tightened or loosened, compared with exhaustive evaluation
//! over small domains. Rules come from a syntax tree of the judge's own, and values from its own schemas and evaluator.

mod annotations;
mod comparison;
pub(crate) mod evaluate;
mod evaluations;
pub(crate) mod expression;
mod findings;
mod forms;
mod generate;
mod imports;
mod json_schemas;
mod mutants;
mod parse;
pub(crate) mod place;
mod policies;
mod schema;
pub(crate) mod value;
mod words;

pub use evaluations::write_evaluations;

use crate::{Budget, Judge, Random, Tally};

pub(crate) static JUDGE: Judge = Judge {
    name: "decisions",
    claims: "constant, implied, contradictory, equal, tightened, loosened",
    claims_in_tests: 600,
    run,
};

/// A kind of case: it makes an input, and judges the claims about it.
type JudgeCase = fn(&mut Random, &str, &mut Tally);

const CASES: &[JudgeCase] = &[
    findings::judge_findings,
    comparison::judge_comparison,
    |random, origin, tally| repeat(policies::judge_policies, random, origin, tally),
    forms::judge_forms,
    imports::judge_imports,
    mutants::judge_mutants,
    |random, origin, tally| repeat(annotations::judge_annotations, random, origin, tally),
    |random, origin, tally| repeat(json_schemas::judge_json_schemas, random, origin, tally),
];

/// Judges as many small inputs as a definition has places.
fn repeat(case: JudgeCase, random: &mut Random, origin: &str, tally: &mut Tally) {
    for _ in 0..8 {
        case(random, origin, tally);
    }
}

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut case = 0;
    while !budget.is_spent(&tally) {
        let mut random = Random::of_case(seed, case);
        let origin = format!("seed {seed}, case {case}");
        CASES[case as usize % CASES.len()](&mut random, &origin, &mut tally);
        case += 1;
    }
    tally
}
