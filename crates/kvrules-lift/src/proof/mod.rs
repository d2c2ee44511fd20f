//! Proofs that formulas imply another one for every object that a schema accepts.
//!
//! The premises and the opposite of the conclusion are made free of loops, in a way that loses no object: of "some item" there
//! is an example, and "each item" speaks about the examples. Then a case is searched for. That there is none is a proof.

mod facts;
mod grounding;
mod place;

use kvrules_ir::Formula;
use serde_json::Value;

use crate::decide::{ExampleKey, Satisfiability, can_hold};
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
