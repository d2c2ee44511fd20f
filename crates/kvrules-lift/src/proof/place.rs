//! Proofs about several formulas of one place. What is known of each of them and of its terms is found once.

use std::cell::OnceCell;
use std::collections::HashMap;

use kvrules_ir::{Formula, Term};
use serde_json::Value;

use super::facts::{equal_terms, implied_facts, mentions_field_of};
use super::grounding::{Grounding, LoopRanges};
use super::{MOST_NODES, decide_together, is_implied};
use crate::contradiction::smallest_contradiction;
use crate::decide::{Conversions, Decider, ExampleKey, PropositionId, Satisfiability};
use crate::folding::fold_formula;

/// Formulas about values of one schema, of which none, some or all may have the same variables for their loops.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::{ContradictionSearch, PlaceFormulas, PlaceProofs};
///
/// let number = |number| Term::Constant(Constant::Integer(number));
/// let less = |left, right| Formula::comparison_of(left, TermRelation::Less, right);
/// let this = || Term::Root("self".to_owned());
/// let [below_5, below_6, above_7] = [less(this(), number(5)), less(this(), number(6)), less(number(7), this())];
/// let schema = serde_json::json!({"type": "integer"});
/// let formulas = PlaceFormulas::new(&schema, vec![&below_5, &below_6, &above_7]);
/// let mut proofs = PlaceProofs::new(&formulas);
/// assert!(proofs.prove_implication(0, 1) && !proofs.prove_implication(1, 0));
/// assert_eq!(proofs.find_contradiction(&[0, 1, 2]), ContradictionSearch::Found(vec![0, 2]));
/// assert_eq!(proofs.find_contradiction(&[0, 1]), ContradictionSearch::Nothing);
/// ```
pub struct PlaceFormulas<'f> {
    schema: &'f Value,
    formulas: Vec<&'f Formula>,
    /// Each formula without loops, and its opposite.
    grounded: Vec<[OnceCell<Option<GroundedFormula>>; 2]>,
}

/// A formula without loops.
struct GroundedFormula {
    formula: Formula,
    /// The facts that concern it.
    facts: Vec<Formula>,
    /// The terms that it compares with others, whose fields are equal then.
    equal: Vec<Term>,
    ranges: LoopRanges,
    examples: Vec<ExampleKey>,
    nodes: usize,
}

/// The most nodes of formulas that are searched together for a contradiction. The search itself is bounded too.
const MOST_TOGETHER: usize = 20_000;

/// Result of a search for formulas that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContradictionSearch {
    /// None are known to.
    Nothing,
    /// Formulas that no value satisfies together, though each of them by itself may be satisfied: their numbers, in order.
    Found(Vec<usize>),
    /// The formulas are too large to decide it.
    TooLarge,
}

/// One of the formulas, by its number, or its opposite.
type Side = (usize, bool);

impl<'f> PlaceFormulas<'f> {
    /// Takes formulas about values of a schema. They have numbers in this order.
    pub fn new(schema: &'f Value, formulas: Vec<&'f Formula>) -> Self {
        let grounded = formulas.iter().map(|_| Default::default()).collect();
        Self { schema, formulas, grounded }
    }

    /// A formula without loops, or its opposite. `None` if it needs too many examples.
    fn grounded(&self, (number, positive): Side) -> Option<&GroundedFormula> {
        let cell = self.grounded.get(number)?.get(usize::from(positive))?;
        cell.get_or_init(|| self.ground_formula(number, positive)).as_ref()
    }

    fn ground_formula(&self, number: usize, positive: bool) -> Option<GroundedFormula> {
        let examples = number.saturating_mul(2).saturating_add(usize::from(positive));
        let mut grounding = Grounding::with_number(self.schema, examples);
        let formula = grounding.ground_formula(&fold_formula(self.formulas.get(number)?), positive)?;
        let nodes = formula.node_count();
        let examples = grounding.example_keys();
        let ranges = grounding.into_ranges();
        // Formulas that are too large are not searched.
        if nodes > MOST_NODES {
            let (facts, equal) = Default::default();
            return Some(GroundedFormula { formula, facts, equal, ranges, examples, nodes });
        }
        let facts = implied_facts(&formula, self.schema);
        let equal = equal_terms(&formula).into_iter().cloned().collect();
        Some(GroundedFormula { formula, facts, equal, ranges, examples, nodes })
    }
}

/// Proves implications and contradictions between formulas of one place.
pub struct PlaceProofs<'p> {
    formulas: &'p PlaceFormulas<'p>,
    decider: Decider<'p>,
    /// Formulas and their opposites, each with its facts.
    propositions: HashMap<Side, [PropositionId; 2]>,
    /// Nodes of formulas that were prepared.
    nodes: usize,
}

impl<'p> PlaceProofs<'p> {
    /// Starts without proofs.
    pub fn new(formulas: &'p PlaceFormulas<'p>) -> Self {
        Self { formulas, decider: Decider::new(formulas.schema), propositions: HashMap::new(), nodes: 0 }
    }

    /// Returns the work that was done: nodes of formulas that were prepared, and parts of formulas that searches examined.
    pub fn steps_used(&self) -> usize {
        self.nodes + self.decider.parts_seen()
    }

    /// True if it is proved that each value of the schema for which one formula holds satisfies another; see [`is_implied`].
    pub fn prove_implication(&mut self, premise: usize, conclusion: usize) -> bool {
        if self.decide(&[(conclusion, false), (premise, true)], MOST_NODES) == Satisfiability::Never {
            return true;
        }
        let formula = |number: usize| self.formulas.formulas.get(number);
        let (Some(one), Some(other)) = (formula(premise), formula(conclusion)) else { return false };
        if !self.share_loops(&[(conclusion, false), (premise, true)]) {
            return false;
        }
        self.nodes += one.node_count() + other.node_count();
        is_implied(&[one], other, self.formulas.schema)
    }

    /// Finds some of several formulas that no value of the schema satisfies together.
    pub fn find_contradiction(&mut self, among: &[usize]) -> ContradictionSearch {
        let mut is_known = true;
        let found = smallest_contradiction(among.len(), &mut |parts| {
            let numbers: Vec<usize> = parts.iter().filter_map(|at| among.get(*at)).copied().collect();
            let answer = self.contradict(&numbers);
            is_known &= answer != Satisfiability::Unknown;
            answer == Satisfiability::Never
        });
        match found {
            Some(found) => {
                ContradictionSearch::Found(found.iter().filter_map(|at| among.get(*at)).copied().collect())
            }
            None if is_known => ContradictionSearch::Nothing,
            None => ContradictionSearch::TooLarge,
        }
    }

    /// Decides whether a value can satisfy several formulas.
    fn contradict(&mut self, numbers: &[usize]) -> Satisfiability {
        let sides: Vec<Side> = numbers.iter().map(|number| (*number, true)).collect();
        let answer = self.decide(&sides, MOST_TOGETHER);
        if answer == Satisfiability::Never || !self.share_loops(&sides) {
            return answer;
        }
        let formulas: Vec<&Formula> =
            numbers.iter().filter_map(|number| self.formulas.formulas.get(*number)).copied().collect();
        self.nodes += formulas.iter().map(|formula| formula.node_count()).sum::<usize>();
        decide_together(&formulas, &Formula::False, self.formulas.schema)
    }

    /// Decides whether a value can satisfy several formulas or opposites, whose loops are not compared with each other.
    fn decide(&mut self, sides: &[Side], most: usize) -> Satisfiability {
        let nodes: Option<usize> = sides.iter().map(|side| Some(self.formulas.grounded(*side)?.nodes)).sum();
        if nodes.is_none_or(|nodes| nodes > most) {
            return Satisfiability::Unknown;
        }
        let parts: Vec<[PropositionId; 2]> =
            sides.iter().filter_map(|side| self.proposition(*side)).collect();
        let formulas = parts.iter().map(|[formula, _]| *formula);
        let case = self.decider.all_of(formulas.chain(parts.iter().map(|[_, facts]| *facts)));
        self.decider.can_hold(case)
    }

    fn proposition(&mut self, side: Side) -> Option<[PropositionId; 2]> {
        if let Some(known) = self.propositions.get(&side) {
            return Some(*known);
        }
        let grounded = self.formulas.grounded(side)?;
        self.nodes += grounded.nodes;
        self.decider.note_examples(&grounded.examples);
        let made = self.decider.add_formula(&grounded.formula, Conversions::MayFail);
        let facts: Vec<PropositionId> =
            grounded.facts.iter().map(|fact| self.decider.add_formula(fact, Conversions::MayFail)).collect();
        let made = [made, self.decider.all_of(facts)];
        self.propositions.insert(side, made);
        Some(made)
    }

    /// True if one of several formulas needs an entry of a list or map, and another is about all of its entries, or if facts follow
    /// from two of them alone.
    fn share_loops(&self, sides: &[Side]) -> bool {
        let grounded: Vec<&GroundedFormula> =
            sides.iter().filter_map(|side| self.formulas.grounded(*side)).collect();
        let share = |at: usize, one: &GroundedFormula| {
            let mut others = grounded.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, it)| it);
            let is_shared = |other: &&GroundedFormula| {
                one.ranges.examples.iter().any(|range| other.ranges.all_entries.contains(range))
            };
            if !one.ranges.examples.is_empty() && others.clone().any(is_shared) {
                return true;
            }
            !one.equal.is_empty() && others.any(|other| mentions_field_of(&other.formula, &one.equal))
        };
        grounded.iter().enumerate().any(|(at, one)| share(at, one))
    }
}
