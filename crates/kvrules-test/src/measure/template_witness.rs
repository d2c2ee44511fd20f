//! Machines for which the rules of a template and their mutant answer differently, found by the solver.

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Predicate, Severity};
use kvrules_solver::{ProofAnswer, Prover, SearchResult};
use serde_json::{Value, json};

use super::mutant_status::MutantStatus;
use super::mutants::Mutant;
use super::witness::{Witness, WitnessSearch};

static ALWAYS: Predicate = Predicate::True;

/// A rule and its mutant; none if it is dropped.
type RulePair<'r> = (&'r ElaboratedRule, Option<&'r ElaboratedRule>);

/// Decides if an object distinguishes a mutant from the rules of a template.
pub(super) fn evaluate_template_survivor(
    mutant: &Mutant,
    search: &WitnessSearch<'_>,
) -> (MutantStatus, Option<Witness>) {
    let undecided = (MutantStatus::Undecided, None);
    let sets = |subject: &'_ crate::subject::Subject| {
        subject.template.as_ref().map(|template| template.sets().to_vec()).unwrap_or_default()
    };
    let (own, other) = (sets(search.original), sets(search.mutant));
    if own.is_empty() || own.len() != other.len() {
        return undecided;
    }
    let mut is_proved = true;
    for (own, other) in own.iter().zip(&other) {
        let mut prover = Prover::default();
        for pair in changed_pairs(own, other, &mutant.name) {
            if is_equal(&mut prover, pair) {
                continue;
            }
            is_proved = false;
            let found = differing_objects(&mut prover, (own, other), pair);
            let machines = found.iter().flat_map(as_machines);
            let witness = machines
                .map(|object| Witness::of_object(object, None, false))
                .find(|witness| search.differs(witness));
            if let Some(witness) = witness {
                return (MutantStatus::Survived, Some(search.shrink(witness)));
            }
        }
        is_proved &= own.left_out == other.left_out;
    }
    if is_proved { (MutantStatus::Equivalent, None) } else { undecided }
}

/// The rules with a name that differ.
fn changed_pairs<'r>(own: &'r ElaboratedSet, other: &'r ElaboratedSet, name: &str) -> Vec<RulePair<'r>> {
    let named =
        |set: &'r ElaboratedSet| set.rules.iter().filter(|rule| rule.name == name).collect::<Vec<_>>();
    let (before, after) = (named(own), named(other));
    let pairs = before.iter().enumerate().map(|(index, rule)| (*rule, after.get(index).copied()));
    pairs.filter(|(rule, changed)| Some(*rule) != *changed).collect()
}

/// True if it is proved that both give every object the same verdict.
fn is_equal<'r>(prover: &mut Prover<'r>, (own, other): RulePair<'r>) -> bool {
    let Some(other) = other else { return prover.always_holds(own).is_yes() };
    let mut excludes = |one: &'r Predicate, two: &'r Predicate| {
        prover.prove_exclusion(&[(one, true), (two, false)]) == ProofAnswer::Yes
    };
    let has_guard = excludes(&own.applies, &other.applies) && excludes(&other.applies, &own.applies);
    own.severity == other.severity && has_guard && prover.are_equal(own, other)
}

/// Objects that one side of a pair accepts, rejects or skips and the other does not, with the other rules satisfied if possible.
fn differing_objects<'r>(
    prover: &mut Prover<'r>,
    (own_set, other_set): (&'r ElaboratedSet, &'r ElaboratedSet),
    (own, other): RulePair<'r>,
) -> Vec<Value> {
    let others = |set: &'r ElaboratedSet| -> Vec<&'r Predicate> {
        let rules = set.rules.iter().filter(|rule| rule.name != own.name && rule.severity == Severity::Error);
        rules.map(|rule| &rule.predicate).collect()
    };
    let changed = other.map_or(&ALWAYS, |rule| &rule.predicate);
    let applies = other.map_or(&ALWAYS, |rule| &rule.applies);
    let (of_own, of_other) = (others(own_set), others(other_set));
    let searches = [
        prover.find_violating_object(&of_own, &own.predicate, changed),
        prover.find_violating_object(&of_other, changed, &own.predicate),
        prover.find_violating_object(&of_own, &ALWAYS, &own.predicate),
        prover.find_violating_object(&of_own, &own.applies, applies),
        prover.find_violating_object(&of_own, applies, &own.applies),
    ];
    let object = |found: SearchResult| match found {
        SearchResult::Object(object) => Some(object),
        SearchResult::Nothing | SearchResult::Unknown(_) => None,
    };
    searches.into_iter().filter_map(object).collect()
}

/// The machines that an object of rules may stand for: paths lead from a machine's template, or from the machine.
fn as_machines(object: &Value) -> Vec<Value> {
    let head =
        json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "machine"}});
    let with = |fields: &Value| {
        let mut machine = head.clone();
        if let (Some(machine), Some(fields)) = (machine.as_object_mut(), fields.as_object()) {
            machine.extend(fields.clone());
        }
        machine
    };
    let of_template = with(&json!({"spec": {"template": object}}));
    vec![of_template, with(object)]
}
