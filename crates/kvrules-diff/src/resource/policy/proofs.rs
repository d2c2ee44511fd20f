//! Proofs that validations of one side imply one of the other, for every kind of objects that both match.

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression};
use kvrules_crd::{PolicySubject, RunResources, has_unknown_subjects, policy_subjects};
use kvrules_ir::Formula;
use kvrules_lift::{LiftedExpression, PolicyLifter, is_implied};
use serde_json::{Value, json};

use crate::bound::ImpliedDirection;
use crate::report::{Direction, ExclusionProof};

/// Number of requests that confirm a formula.
const CONFIRMED_ON: usize = 60;

/// The most validations of a side that are lifted, and kinds of objects.
const MOST_VALIDATIONS: usize = 40;
const MOST_KINDS: usize = 8;

/// The validations of both sides as formulas for each kind of objects; none if the kinds are not known.
#[derive(Default)]
pub(super) struct ValidationProofs {
    kinds: Vec<ProvedKind>,
    texts: [Vec<String>; 2],
}

/// The validations for objects of one kind: under which condition a request passes each.
struct ProvedKind {
    schema: Value,
    old: Vec<Option<Formula>>,
    new: Vec<Option<Formula>>,
}

impl ValidationProofs {
    /// Lifts the validations of two policies that match the same kinds of objects.
    pub(super) fn lift_sides(old: &Value, new: &Value) -> Self {
        let resources = |content: &Value| content.pointer("/spec/matchConstraints").cloned();
        let kind = |content: &Value| content.pointer("/spec/paramKind").cloned();
        if resources(old) != resources(new) || kind(old) != kind(new) {
            return Self::default();
        }
        let run = RunResources::default();
        let both = joined_expressions(old, new);
        if has_unknown_subjects(&both, &run) {
            return Self::default();
        }
        let subjects = policy_subjects(&both, &run);
        let policies = [Policy::from_json(old), Policy::from_json(new)];
        let is_large = policies.iter().any(|policy| policy.validations.len() > MOST_VALIDATIONS);
        if is_large || subjects.len() > MOST_KINDS {
            return Self::default();
        }
        let [of_old, of_new] = &policies;
        let lift = |subject: &PolicySubject| {
            let (schema, new) = passing_formulas(new, of_new, subject);
            ProvedKind { schema, old: passing_formulas(old, of_old, subject).1, new }
        };
        let texts = |policy: &Policy| {
            policy.validations.iter().map(|validation| validation.expression.text.clone()).collect()
        };
        Self { kinds: subjects.iter().map(lift).collect(), texts: [texts(of_old), texts(of_new)] }
    }

    /// Returns the bound of a difference of validations, whose indices are given, and the proofs that narrow it.
    pub(super) fn narrow_bound(
        &self,
        bound: ImpliedDirection,
        old: Option<usize>,
        new: Option<usize>,
    ) -> (ImpliedDirection, Vec<ExclusionProof>) {
        let mut proofs = Vec::new();
        if matches!(bound, ImpliedDirection::Open | ImpliedDirection::Tighter) {
            let by = new.and_then(|index| self.find_premises(index, |kind| (&kind.old, &kind.new), 0));
            proofs.extend(by.map(|by| ExclusionProof { excludes: Direction::Tightened, by }));
        }
        if matches!(bound, ImpliedDirection::Open | ImpliedDirection::Looser) {
            let by = old.and_then(|index| self.find_premises(index, |kind| (&kind.new, &kind.old), 1));
            proofs.extend(by.map(|by| ExclusionProof { excludes: Direction::Loosened, by }));
        }
        let excludes = |direction| proofs.iter().any(|proof| proof.excludes == direction);
        let narrowed = bound.without(excludes(Direction::Tightened), excludes(Direction::Loosened));
        (narrowed, proofs)
    }

    /// The validations of one side that imply one of the other; none if the types of the objects do.
    fn find_premises(
        &self,
        index: usize,
        sides: impl Fn(&ProvedKind) -> (&[Option<Formula>], &[Option<Formula>]),
        premise_side: usize,
    ) -> Option<Vec<String>> {
        let count = self.texts.get(premise_side)?.len();
        let is_implied_by = |chosen: &dyn Fn(usize) -> bool| {
            let holds = |kind: &ProvedKind| {
                let (premises, conclusions) = sides(kind);
                let Some(Some(conclusion)) = conclusions.get(index) else { return false };
                let known = premises.iter().enumerate().filter(|(at, _)| chosen(*at));
                let known: Vec<&Formula> = known.filter_map(|(_, premise)| premise.as_ref()).collect();
                is_implied(&known, conclusion, &kind.schema)
            };
            !self.kinds.is_empty() && self.kinds.iter().all(holds)
        };
        if !is_implied_by(&|_| true) {
            return None;
        }
        // Those that are not needed are left out, one after the other.
        let mut needed: Vec<usize> = (0..count).collect();
        for at in 0..count {
            if is_implied_by(&|other| other != at && needed.contains(&other)) {
                needed.retain(|other| *other != at);
            }
        }
        let texts = self.texts.get(premise_side)?;
        Some(needed.into_iter().filter_map(|at| texts.get(at).cloned()).collect())
    }
}

/// A policy with the expressions of both sides, whose names all have types then.
fn joined_expressions(old: &Value, new: &Value) -> Value {
    let mut spec = new.get("spec").cloned().unwrap_or_else(|| json!({}));
    for key in ["matchConditions", "variables", "validations"] {
        let list = |content: &Value| {
            content.pointer(&format!("/spec/{key}")).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let joined: Vec<Value> = list(old).into_iter().chain(list(new)).collect();
        if let Some(fields) = spec.as_object_mut() {
            fields.insert(key.to_owned(), joined.into());
        }
    }
    json!({ "spec": spec })
}

/// The schema of requests, and the conditions under which a request passes each validation.
fn passing_formulas(
    content: &Value,
    policy: &Policy,
    subject: &PolicySubject,
) -> (Value, Vec<Option<Formula>>) {
    let lifter = PolicyLifter::new(content, policy, subject);
    let passing = |index: usize| {
        let expression = PolicyExpression::Validation(index);
        let confirmed = lifter.lift_expression(expression, CONFIRMED_ON).ok()?;
        let (_, formulas) = lifter.as_rule(&confirmed.formulas);
        Some(match policy.failure_policy {
            FailurePolicy::Fail => formulas.holds,
            FailurePolicy::Ignore => Formula::negation_of(formulas.fails),
        })
    };
    let formulas = (0..policy.validations.len()).map(passing).collect();
    let nothing = LiftedExpression { holds: Formula::True, fails: Formula::False };
    let (rule, _) = lifter.as_rule(&nothing);
    ((*rule.schema).clone(), formulas)
}
