//! The judge with z3: claims about rules of definitions, each refuted or confirmed by an SMT solver for all values of the schema, where the
//! judge of decisions tries a small domain. Its encoder is a program of its own, `tests/judges/z3`. Each answer is compared with
//! the evaluator of the judge of decisions: a state has to satisfy the condition, and there may be none in the small domain if z3 finds none.

mod questions;
mod solver;

use self::questions::write_question;
use self::solver::{Answer, Solver};
use crate::decisions::RULES_CASES;
use crate::decisions::domain::{Condition, Domain, Found, Search};
use crate::decisions::place::State;
use crate::{Budget, Judge, Random, Tally};

/// The kind of claim that z3 and the evaluator agree about a state.
const AGREEMENT: &str = "state that the evaluator confirms";

pub(crate) static JUDGE: Judge = Judge {
    name: "z3",
    claims: "constant, implied, contradictory, equal, tightened, loosened, by an SMT solver",
    claims_in_tests: 600,
    common_kinds: &[
        "KC308 always true",
        "KC308 never true",
        "KC310 implied",
        "KC311 same as a keyword",
        "KC313 contradictory",
        "diff: equal",
        "diff: loosened",
        "diff: no change",
        "diff: tightened",
        "equivalent form",
        "mutant: equivalent",
        AGREEMENT,
    ],
    rare_kinds: &["diff: incomparable", "diff: several changes of a place"],
    run,
};

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut search = match Solver::start() {
        Ok(solver) => SolverSearch { solver, agreed: 0, disagreements: Vec::new(), broken: None },
        Err(reason) => {
            tally.unjudged(&reason);
            return tally;
        }
    };
    let mut case = 0;
    while !budget.is_spent(&tally) {
        let mut random = Random::of_case(seed, case);
        let origin = format!("seed {seed}, case {case}");
        RULES_CASES[case as usize % RULES_CASES.len()](&mut random, &mut search, &origin, &mut tally);
        tally.right_many(AGREEMENT, std::mem::take(&mut search.agreed));
        for details in search.disagreements.drain(..) {
            tally.wrong(AGREEMENT, &origin, || details);
        }
        if let Some(reason) = search.broken.take() {
            // The process has ended; no later case can be judged.
            tally.wrong(AGREEMENT, &origin, || reason);
            return tally;
        }
        case += 1;
    }
    tally
}

/// The search that asks z3.
struct SolverSearch {
    solver: Solver,
    /// Number of states that the evaluator confirmed.
    agreed: u64,
    disagreements: Vec<String>,
    /// The error of the process.
    broken: Option<String>,
}

impl Search for SolverSearch {
    fn find(&mut self, domain: &Domain, condition: &Condition) -> Found {
        match self.solver.ask(&write_question(domain, condition)) {
            Ok(Answer::Unknown(reason)) => Err(reason),
            Ok(Answer::Nowhere) => self.compare_none(domain, condition),
            Ok(Answer::State(value, old)) => {
                let state = read_state(domain, &value, old.as_ref());
                match state
                    .filter(|state| domain.admits(state) && condition.holds(&domain.outcomes_of(state)))
                {
                    Some(state) => {
                        self.agreed += 1;
                        Ok(Some(state))
                    }
                    None => self.disagree(domain, condition, &format!("z3 names {value} ({old:?})")),
                }
            }
            Err(error) => {
                self.broken.get_or_insert_with(|| error.clone());
                Err(error)
            }
        }
    }

    fn is_complete(&self) -> bool {
        true
    }
}

impl SolverSearch {
    fn compare_none(&mut self, domain: &Domain, condition: &Condition) -> Found {
        match domain.find(condition).map(State::describe) {
            None => Ok(None),
            Some(state) => self.disagree(domain, condition, &format!("z3 names none, the evaluator {state}")),
        }
    }

    fn disagree(&mut self, domain: &Domain, condition: &Condition, what: &str) -> Found {
        let rules: Vec<&str> = domain.rules.iter().map(|rule| rule.text.as_str()).collect();
        let (schema, rules) = (domain.shape.to_schema(), rules.join("\n"));
        self.disagreements.push(format!("{schema}\n{rules}\n{condition:?}\n{what}"));
        Err("z3 and the evaluator disagree".to_owned())
    }
}

fn read_state(domain: &Domain, value: &serde_json::Value, old: Option<&serde_json::Value>) -> Option<State> {
    let old = match old {
        None => None,
        Some(old) => Some(domain.shape.read(old)?),
    };
    Some(State { value: domain.shape.read(value)?, old })
}
