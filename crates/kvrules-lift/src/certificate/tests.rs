//! The checker refuses what is no proof.

#![allow(clippy::unwrap_used, reason = "tests")]

use kvrules_ir::{Formula, Term, TermRelation};
use serde_json::{Value, json};

use super::{CaseStep, Certificate, Closing, Fact, Statement};
use crate::proof::certify_implication;

fn field(name: &str) -> Term {
    Term::Root("self".to_owned()).with_field(name)
}

fn less(left: Term, right: Term) -> Formula {
    Formula::comparison_of(left, TermRelation::Less, right)
}

fn schema() -> Value {
    let integer = json!({"type": "integer"});
    json!({"type": "object", "required": ["a"], "properties": {"a": integer, "b": integer, "c": integer}})
}

/// The proof that `a < b < c` implies `a < c`.
fn certificate() -> Certificate {
    let premises = [less(field("a"), field("b")), less(field("b"), field("c"))];
    certify_implication(&premises.iter().collect::<Vec<_>>(), &less(field("a"), field("c")), &schema())
        .unwrap()
}

#[test]
fn orders_are_checked() {
    let report = certificate().check_steps(&schema());
    assert!(report.is_accepted() && report.unchecked.is_empty(), "{report:?}");
}

#[test]
fn a_claim_that_does_not_follow_is_refused() {
    let mut wrong = certificate();
    wrong.formulas.remove(0);
    wrong.given.remove(0);
    assert!(!wrong.check_steps(&schema()).is_accepted());
}

#[test]
fn a_tree_that_lacks_a_branch_is_refused() {
    let whole = certificate();
    for length in 0..whole.cases.steps.len() {
        let mut cut = whole.clone();
        cut.cases.steps.truncate(length);
        assert!(!cut.check_steps(&schema()).is_accepted(), "{length}");
    }
    let mut longer = whole;
    longer.cases.steps.push(CaseStep::Closed(Closing::Formula));
    assert!(!longer.check_steps(&schema()).is_accepted());
}

#[test]
fn invented_facts_are_no_axioms_and_are_not_taken_for_checked() {
    let mut invented = certificate();
    invented.formulas.truncate(1);
    invented.given.truncate(1);
    let never = less(field("a"), field("b"));
    invented.axioms.push(Formula::negation_of(never));
    assert!(!invented.check_steps(&schema()).is_accepted());
    let mut claimed = certificate();
    claimed.formulas.truncate(1);
    claimed.given.truncate(1);
    claimed.cases.steps = vec![CaseStep::Closed(Closing::Formula)];
    claimed.cases.facts.push(Fact { statement: Statement::Less(field("a"), field("b")), holds: false });
    let report = claimed.check_steps(&schema());
    assert!(!report.is_accepted() || report.unchecked == ["self.b <= self.a"], "{report:?}");
}

#[test]
fn the_checker_uses_nothing_of_the_prover() {
    let sources = [
        include_str!("axioms.rs"),
        include_str!("check.rs"),
        include_str!("checked.rs"),
        include_str!("keys.rs"),
        include_str!("substitution.rs"),
        include_str!("texts.rs"),
        include_str!("theory.rs"),
    ];
    for line in sources.iter().flat_map(|source| source.lines()) {
        assert!(!line.contains("crate::"), "{line}");
        let allowed = ["kvrules_ir", "use kvrules_kubernetes::keywords::INT_OR_STRING;"];
        assert!(!line.contains("kvrules_") || allowed.iter().any(|text| line.contains(text)), "{line}");
    }
}
