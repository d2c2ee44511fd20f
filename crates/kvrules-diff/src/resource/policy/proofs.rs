//! Proofs that expressions of one side imply those of the other, for every kind of objects that the new side matches.

use std::cell::Cell;
use std::collections::HashSet;

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression};
use kvrules_crd::{PolicySubject, RunResources, has_unknown_subjects, policy_subjects};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{LiftedExpression, PolicyLifter, is_implied};
use serde_json::{Value, json};

use crate::bound::ImpliedDirection;
use crate::report::{Direction, ExclusionProof};

/// Number of requests that confirm a formula.
const CONFIRMED_ON: usize = 60;

/// The most validations of a side that are lifted, and kinds of objects.
const MOST_VALIDATIONS: usize = 200;
/// The most validations that are premises together.
const MOST_PREMISES: usize = 12;
const MOST_KINDS: usize = 8;

/// The expressions of both sides as formulas for each kind of objects that the new side matches; none if the kinds are not known.
///
/// Changes are applied one after the other, matching first and validations last, so that the directions of all together are those
/// of the policy. Every expression is compared under the failure policy of the new side.
#[derive(Default)]
pub(super) struct ValidationProofs {
    kinds: Vec<ProvedKind>,
    texts: [Vec<String>; 2],
    is_error_ignored: bool,
    /// Number of implications that were examined.
    steps: Cell<u64>,
}

/// The expressions for objects of one kind.
struct ProvedKind {
    schema: Value,
    old: SideFormulas,
    new: SideFormulas,
}

/// The expressions of one side. `None` stands for one without a formula.
#[derive(Default)]
struct SideFormulas {
    conditions: Vec<Option<LiftedExpression>>,
    annotations: Vec<Option<LiftedExpression>>,
    /// Under which condition a request passes each validation.
    passing: Vec<Option<Formula>>,
}

/// An expression that is compared with one of the other side; none if it was added or removed.
type Indices = [Option<usize>; 2];

impl ValidationProofs {
    /// Lifts the expressions of two policies.
    pub(super) fn lift_sides(old: &Value, new: &Value, run: &RunResources) -> Self {
        let kind = |content: &Value| content.pointer("/spec/paramKind").cloned();
        if kind(old) != kind(new) {
            return Self::default();
        }
        let both = joined_expressions(old, new);
        if has_unknown_subjects(&both, run) {
            return Self::default();
        }
        let subjects = policy_subjects(&both, run);
        let policies = [Policy::from_json(old), Policy::from_json(new)];
        let is_large = policies.iter().any(|policy| policy.validations.len() > MOST_VALIDATIONS);
        if is_large || subjects.len() > MOST_KINDS {
            return Self::default();
        }
        let [of_old, of_new] = &policies;
        let is_error_ignored = of_new.failure_policy == FailurePolicy::Ignore;
        let lift = |subject: &PolicySubject| {
            let lift_side = |content, policy| lift_side(content, policy, subject, is_error_ignored);
            let (schema, new) = lift_side(new, of_new);
            ProvedKind { schema, old: lift_side(old, of_old).1, new }
        };
        let texts = |policy: &Policy| {
            policy.validations.iter().map(|validation| validation.expression.text.clone()).collect()
        };
        let kinds = subjects.iter().map(lift).collect();
        Self { kinds, texts: [texts(of_old), texts(of_new)], is_error_ignored, steps: Cell::new(0) }
    }

    /// Returns the bound of a difference of match conditions. One that is false skips the policy, one that ends in an error denies the
    /// request, unless the failure policy ignores errors.
    // admission/plugin/webhook/matchconditions/matcher.go, matcher.Match
    pub(super) fn narrow_condition(&self, bound: ImpliedDirection, at: Indices) -> ImpliedDirection {
        let is_milder = |schema: &Value, one: &LiftedExpression, other: &LiftedExpression| {
            if self.is_error_ignored {
                return is_implied(&[&other.holds], &one.holds, schema);
            }
            is_implied(&[&one.fails], &other.fails, schema)
                && is_implied(&[&one.holds], &has_value(other), schema)
        };
        self.narrow(bound, at, |side| &side.conditions, &is_milder)
    }

    /// Returns the bound of a difference of audit annotations, of which only errors have an effect.
    // admission/plugin/policy/validating/dispatcher.go, AuditAnnotationActionError in Dispatch
    pub(super) fn narrow_annotation(&self, bound: ImpliedDirection, at: Indices) -> ImpliedDirection {
        let is_milder = |schema: &Value, one: &LiftedExpression, other: &LiftedExpression| {
            is_implied(&[&has_value(one)], &has_value(other), schema)
        };
        self.narrow(bound, at, |side| &side.annotations, &is_milder)
    }

    /// Excludes directions by a test that an expression denies nothing that another admits, for all kinds.
    fn narrow(
        &self,
        bound: ImpliedDirection,
        at: Indices,
        list: impl Fn(&SideFormulas) -> &[Option<LiftedExpression>],
        is_milder: &dyn Fn(&Value, &LiftedExpression, &LiftedExpression) -> bool,
    ) -> ImpliedDirection {
        let absent = LiftedExpression { holds: Formula::True, fails: Formula::False };
        let [before, after] = at;
        let is_excluded = |is_tightening: bool| {
            let holds = |kind: &ProvedKind| {
                let find = |side: &SideFormulas, index: Option<usize>| match index {
                    Some(index) => list(side).get(index).cloned().flatten(),
                    None => Some(absent.clone()),
                };
                let Some((one, other)) = find(&kind.old, before).zip(find(&kind.new, after)) else {
                    return false;
                };
                let (one, other) = if is_tightening { (&one, &other) } else { (&other, &one) };
                is_milder(&kind.schema, one, other)
            };
            !self.kinds.is_empty() && self.kinds.iter().all(holds)
        };
        if bound == ImpliedDirection::Equal {
            return bound;
        }
        bound.without(
            bound != ImpliedDirection::Looser && is_excluded(true),
            bound != ImpliedDirection::Tighter && is_excluded(false),
        )
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
            let by = new.and_then(|index| {
                self.find_premises(index, |kind| (&kind.old.passing, &kind.new.passing), 0)
            });
            proofs.extend(by.map(|by| ExclusionProof {
                excludes: Direction::Tightened,
                by,
                explanation: None,
            }));
        }
        if matches!(bound, ImpliedDirection::Open | ImpliedDirection::Looser) {
            let by = old.and_then(|index| {
                self.find_premises(index, |kind| (&kind.new.passing, &kind.old.passing), 1)
            });
            proofs.extend(by.map(|by| ExclusionProof {
                excludes: Direction::Loosened,
                by,
                explanation: None,
            }));
        }
        let excludes = |direction| proofs.iter().any(|proof| proof.excludes == direction);
        let narrowed = bound.without(excludes(Direction::Tightened), excludes(Direction::Loosened));
        (narrowed, proofs)
    }

    /// The validations of one side that imply one of the other; none if the types of the objects do. Only validations about the same
    /// fields are premises, so that the work for each validation does not grow with their number.
    fn find_premises(
        &self,
        index: usize,
        sides: impl Fn(&ProvedKind) -> (&[Option<Formula>], &[Option<Formula>]),
        premise_side: usize,
    ) -> Option<Vec<String>> {
        let texts = self.texts.get(premise_side)?;
        let is_implied_by = |chosen: &[usize]| {
            let holds = |kind: &ProvedKind| {
                let (premises, conclusions) = sides(kind);
                let Some(Some(conclusion)) = conclusions.get(index) else { return false };
                let known: Vec<&Formula> =
                    chosen.iter().filter_map(|at| premises.get(*at)?.as_ref()).collect();
                self.count_proof();
                is_implied(&known, conclusion, &kind.schema)
            };
            !self.kinds.is_empty() && self.kinds.iter().all(holds)
        };
        let named = |chosen: Vec<usize>| chosen.into_iter().filter_map(|at| texts.get(at).cloned()).collect();
        if is_implied_by(&[]) {
            return Some(Vec::new());
        }
        let (premises, conclusions) = sides(self.kinds.first()?);
        let related = related_premises(premises, conclusions.get(index)?.as_ref()?);
        if let Some(one) = related.iter().find(|at| is_implied_by(&[**at])) {
            return Some(named(vec![*one]));
        }
        if related.len() < 2 || !is_implied_by(&related) {
            return None;
        }
        // Those that are not needed are left out, one after the other.
        let mut needed = related;
        let mut at = 0;
        while at < needed.len() {
            let removed = needed.remove(at);
            if !is_implied_by(&needed) {
                needed.insert(at, removed);
                at += 1;
            }
        }
        Some(named(needed))
    }

    fn count_proof(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    /// Number of implications that were examined.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }
}

/// The premises that name fields of a formula, those that share most first.
fn related_premises(premises: &[Option<Formula>], conclusion: &Formula) -> Vec<usize> {
    let wanted = field_names(conclusion);
    let shared = |(at, premise): (usize, &Option<Formula>)| {
        let names = field_names(premise.as_ref()?);
        let count = names.intersection(&wanted).count();
        (count > 0 || wanted.is_empty()).then_some((at, count))
    };
    let mut related: Vec<(usize, usize)> = premises.iter().enumerate().filter_map(shared).collect();
    related.sort_by_key(|(at, count)| (std::cmp::Reverse(*count), *at));
    related.into_iter().take(MOST_PREMISES).map(|(at, _)| at).collect()
}

/// The fields that a formula names, but not the roots that all have.
fn field_names(formula: &Formula) -> HashSet<String> {
    const EVERYWHERE: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "spec"];
    let mut names = HashSet::new();
    formula.visit_terms(&mut |term| {
        if let Term::Field(_, name) = term
            && !EVERYWHERE.contains(&name.as_str())
        {
            names.insert(name.clone());
        }
    });
    names
}

/// A policy with the expressions of both sides, whose names all have types then.
fn joined_expressions(old: &Value, new: &Value) -> Value {
    let mut spec = new.get("spec").cloned().unwrap_or_else(|| json!({}));
    for key in ["matchConditions", "variables", "validations", "auditAnnotations"] {
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

/// The condition under which an expression does not end in an error.
fn has_value(expression: &LiftedExpression) -> Formula {
    Formula::any_of([expression.holds.clone(), expression.fails.clone()])
}

/// The schema of requests, and the formulas of the expressions of a policy.
fn lift_side(
    content: &Value,
    policy: &Policy,
    subject: &PolicySubject,
    is_error_ignored: bool,
) -> (Value, SideFormulas) {
    let lifter = PolicyLifter::new(content, policy, subject);
    let lift = |expression: PolicyExpression| {
        let confirmed = lifter.lift_expression(expression, CONFIRMED_ON).ok()?;
        Some(lifter.as_rule(&confirmed.formulas).1)
    };
    let passing = |index: usize| {
        let formulas = lift(PolicyExpression::Validation(index))?;
        Some(if is_error_ignored { Formula::negation_of(formulas.fails) } else { formulas.holds })
    };
    let formulas = SideFormulas {
        conditions: (0..policy.conditions.len()).map(PolicyExpression::MatchCondition).map(lift).collect(),
        annotations: (0..policy.annotations.len()).map(PolicyExpression::AuditAnnotation).map(lift).collect(),
        passing: (0..policy.validations.len()).map(passing).collect(),
    };
    let nothing = LiftedExpression { holds: Formula::True, fails: Formula::False };
    let (rule, _) = lifter.as_rule(&nothing);
    ((*rule.schema).clone(), formulas)
}
