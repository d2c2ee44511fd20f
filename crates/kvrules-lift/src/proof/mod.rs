//! Proofs that formulas imply another one for every object that a schema accepts.
//!
//! The premises and the opposite of the conclusion are made free of loops, in a way that loses no object: of "some item" there
//! is an example, and "each item" speaks about the examples. Then a case is searched for. That there is none is a proof.

mod facts;
mod grounding;
mod place;

use kvrules_ir::Formula;
use serde_json::Value;

use crate::certificate::Certificate;
use crate::decide::{Conversions, Decider, ExampleKey, Satisfiability, can_hold};
use crate::folding::fold_formula;
use facts::implied_facts;
use grounding::Grounding;
pub use place::{ContradictionSearch, PlaceFormulas, PlaceProofs};

/// The most nodes of a formula that a case is searched for.
const MOST_NODES: usize = 3_000;

/// True if it is proved that each object of a schema for which all premises hold satisfies the conclusion. False if it is not
/// known.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::is_implied;
///
/// let n = Term::Root("self".to_owned()).with_field("n");
/// let compare = |relation, number| Formula::comparison_of(n.clone(), relation, Term::Constant(Constant::Integer(number)));
/// let schema = serde_json::json!({"properties": {"n": {"type": "integer", "minimum": 5}}});
/// assert!(is_implied(&[&compare(TermRelation::Less, 6)], &compare(TermRelation::Equal, 5), &schema));
/// assert!(is_implied(&[&compare(TermRelation::Less, 5)], &Formula::False, &schema));
/// assert!(!is_implied(&[&compare(TermRelation::Less, 6)], &Formula::False, &schema));
/// ```
pub fn is_implied(premises: &[&Formula], conclusion: &Formula, schema: &Value) -> bool {
    decide_together(premises, conclusion, schema) == Satisfiability::Never
}

/// Returns the certificate of the proof that [`is_implied`] finds. `None` if it finds none.
pub fn certify_implication(
    premises: &[&Formula],
    conclusion: &Formula,
    schema: &Value,
) -> Option<Certificate> {
    let opposite = Formula::negation_of(conclusion.clone());
    let given: Vec<Formula> = premises
        .iter()
        .map(|premise| (*premise).clone())
        .chain([opposite])
        .filter(|it| *it != Formula::True)
        .collect();
    let formulas: Vec<Formula> = given.iter().map(fold_formula).collect();
    let mut grounding = Grounding::new(schema);
    // Not joined before: what contradicts itself by its form needs its entries too.
    let case = grounding.ground_formula(&Formula::All(formulas.clone()), true)?;
    if case.node_count() > MOST_NODES {
        return None;
    }
    let axioms = implied_facts(&case, schema);
    let examples = grounding.example_keys();
    let formula = Formula::all_of(std::iter::once(case).chain(axioms.iter().cloned()));
    let mut decider = Decider::recording(schema);
    decider.note_examples(&examples);
    let proposition = decider.add_formula(&formula, Conversions::MayFail);
    let cases = decider.into_proof(proposition)?;
    Some(Certificate { given, formulas, entries: grounding.to_entries(), axioms, cases })
}

/// Decides whether an object can satisfy all premises and not the conclusion.
fn decide_together(premises: &[&Formula], conclusion: &Formula, schema: &Value) -> Satisfiability {
    let opposite = Formula::negation_of(conclusion.clone());
    let parts = std::iter::once(opposite).chain(premises.iter().map(|premise| (*premise).clone()));
    match ground_case(&Formula::all_of(parts), schema) {
        Some(case) => can_hold(&case.formula, &case.examples, schema),
        None => Satisfiability::Unknown,
    }
}

/// A formula without loops.
pub(crate) struct GroundCase {
    pub(crate) formula: Formula,
    /// The entries that its variables stand for.
    pub(crate) examples: Vec<ExampleKey>,
}

/// Returns a formula without loops, with the facts that concern it, which holds wherever this one does. Entries of loops are there by keys that
/// are variables. `None` if it is too large.
pub(crate) fn ground_case(formula: &Formula, schema: &Value) -> Option<GroundCase> {
    let mut grounding = Grounding::new(schema);
    let grounded = grounding.ground_formula(&fold_formula(formula), true)?;
    let case = Some(grounded).filter(|case| case.node_count() <= MOST_NODES)?;
    let examples = grounding.example_keys();
    let facts = implied_facts(&case, schema);
    let formula = if facts.is_empty() { case } else { Formula::all_of(std::iter::once(case).chain(facts)) };
    Some(GroundCase { formula, examples })
}
