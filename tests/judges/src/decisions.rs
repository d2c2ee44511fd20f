//! The judge of decisions: what is constant, implied, contradictory, equal, tightened or loosened, compared with exhaustive evaluation
//! over small domains. Rules come from a syntax tree of the judge's own, and values from its own schemas and evaluator.

mod annotations;
mod comparison;
mod denials;
pub(crate) mod domain;
pub(crate) mod evaluate;
mod evaluations;
pub(crate) mod expression;
mod findings;
mod forms;
pub(crate) mod generate;
mod imports;
mod json_schemas;
mod keywords;
pub(crate) mod mutants;
mod notations;
pub(crate) mod parse;
pub(crate) mod place;
pub(crate) mod policies;
mod requests;
mod requirements;
pub(crate) mod schema;
mod sides;
pub(crate) mod value;
mod words;

pub use evaluations::write_evaluations;

use self::domain::{Exhaustive, Search};
use crate::{Budget, Judge, Random, Tally};

pub(crate) static JUDGE: Judge = Judge {
    name: "decisions",
    claims: "constant, implied, contradictory, equal, tightened, loosened",
    claims_in_tests: 600,
    common_kinds: &[
        "JSON Schema: equal",
        "JSON Schema: example",
        "JSON Schema: loosened",
        "JSON Schema: tightened",
        "KC307 ends in an error",
        "KC308 always true",
        "KC308 never true",
        "KC308 policy denies all",
        "KC308 policy denies an operation",
        "KC308 validation never true",
        "KC310 implied",
        "KC311 same as a keyword",
        "KC313 contradictory",
        "KV601 contradiction",
        "KV602 implied",
        "annotations: equal",
        "annotations: incomparable",
        "annotations: loosened",
        "annotations: tightened",
        "diff: equal",
        "diff: example",
        "diff: loosened",
        "diff: no change",
        "diff: tightened",
        "equivalent form",
        "import: words say the same",
        "mutant: equivalent",
        "notations: example newly accepted",
        "notations: example newly rejected",
        "notations: nothing newly accepted in creations",
        "notations: nothing newly accepted in updates",
        "notations: nothing newly rejected in creations",
        "notations: nothing newly rejected in updates",
        "policies: equal",
        "policies: example",
        "policies: incomparable",
        "policies: loosened",
        "policies: tightened",
    ],
    rare_kinds: &[
        "JSON Schema: incomparable",
        "KC308 expression of a policy always true",
        "KC308 match condition never true",
        "KV604 same rule",
        "KV605 never applicable",
        "KV606 always satisfied",
        "diff: incomparable",
        "diff: several changes of a place",
    ],
    run,
};

/// A kind of case: it makes an input, and judges the claims about it.
type JudgeCase = fn(&mut Random, &str, &mut Tally);

/// A kind of case about rules of definitions, which gets the way to refute a claim.
pub(crate) type JudgeRules = fn(&mut Random, &mut dyn Search, &str, &mut Tally);

/// The cases about rules of definitions.
pub(crate) const RULES_CASES: [JudgeRules; 4] =
    [findings::judge_findings, comparison::judge_comparison, forms::judge_forms, mutants::judge_mutants];

const CASES: &[JudgeCase] = &[
    |random, origin, tally| findings::judge_findings(random, &mut Exhaustive, origin, tally),
    |random, origin, tally| comparison::judge_comparison(random, &mut Exhaustive, origin, tally),
    |random, origin, tally| repeat(policies::judge_policies, random, origin, tally),
    |random, origin, tally| forms::judge_forms(random, &mut Exhaustive, origin, tally),
    imports::judge_imports,
    |random, origin, tally| mutants::judge_mutants(random, &mut Exhaustive, origin, tally),
    |random, origin, tally| repeat(annotations::judge_annotations, random, origin, tally),
    |random, origin, tally| repeat(json_schemas::judge_json_schemas, random, origin, tally),
    |random, origin, tally| repeat(denials::judge_denials, random, origin, tally),
    |random, origin, tally| repeat(notations::judge_notations, random, origin, tally),
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
