//! Requests that end an expression of a policy in an error.

use std::collections::VecDeque;

use kvrules_apiserver::policy::{PolicyExpression, Request};
use kvrules_cel::value::ErrorKind;
use kvrules_ir::{Constant, Formula, Term, TermRelation};
use serde_json::Value as Json;

use super::request_repair::RequestRepair;
use super::{PolicyLifter, keep_objects_of_operation};
use crate::examine::may_lack_value;
use crate::facts::is_total;
use crate::failures::{FailureCandidates, RuleOfPlace};
use crate::lifter::lift_expression;
use crate::placed::PlacedFormula;
use crate::rules::{DefinitionRule, RulePlace, rule_places};
use crate::state::LiftedExpression;
use crate::synthesise::readable_texts;

/// The most rules of the schemas of objects that requests are made for.
const MOST_RULES: usize = 12;

/// A request for which an expression of a policy ends in an error.
#[derive(Clone, Debug)]
pub struct FailingRequest {
    /// The request.
    pub request: Request,
    /// The parameters; a null if there are none.
    pub params: Json,
    /// The server's text.
    pub error: String,
}

/// Requests that the types of a policy's objects accept and for which an expression ends in an error: made one after the other. First
/// those that lack something or have values of another type, then those with texts that functions cannot read.
pub struct FailingRequests<'l> {
    lifter: &'l PolicyLifter<'l>,
    expression: PolicyExpression,
    rule: DefinitionRule<'static>,
    formulas: LiftedExpression,
    others: Vec<LiftedExpression>,
    searches: VecDeque<FailureCandidates>,
    repair: RequestRepair,
    /// Requests that were found and not asked for yet.
    found: VecDeque<FailingRequest>,
}

impl PolicyLifter<'_> {
    /// Looks for requests that end an expression in an error and for which none of some others is false, and all of them hold if
    /// possible. `formulas` and `others` are as they were lifted.
    ///
    /// ```
    /// use kvrules_apiserver::policy::{Policy, PolicyExpression};
    /// use kvrules_lift::{PolicyLifter, PolicySubject};
    /// use serde_json::json;
    ///
    /// let document = json!({"spec": {
    ///     "matchConstraints": {"resourceRules": [
    ///         {"apiGroups": ["a.io"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["CREATE"]}]},
    ///     "validations": [{"expression": "object.ports[1] > 3"}],
    /// }});
    /// let ports = json!({"type": "array", "items": {"type": "integer"}});
    /// let subject = PolicySubject {
    ///     group: "a.io".to_owned(), version: "v1".to_owned(), resource: "things".to_owned(), kind: "Thing".to_owned(),
    ///     object: json!({"type": "object", "required": ["ports"], "properties": {"ports": ports}}), params: None,
    /// };
    /// let policy = Policy::from_json(&document);
    /// let lifter = PolicyLifter::new(&document, &policy, &subject);
    /// let validation = PolicyExpression::Validation(0);
    /// let (_, formulas) = lifter.lift_unconfirmed(validation).unwrap();
    /// let found = lifter.failing_requests(validation, &formulas, &[]).next().unwrap();
    /// assert_eq!(found.error, "index out of bounds: 1");
    /// ```
    pub fn failing_requests(
        &self,
        expression: PolicyExpression,
        formulas: &LiftedExpression,
        others: &[LiftedExpression],
    ) -> FailingRequests<'_> {
        let (rule, formulas) = self.as_rule(formulas);
        let others = others.iter().map(|other| self.as_rule(other).1);
        let others: Vec<_> = others.chain([coherent_requests()]).chain(self.rules_of_objects()).collect();
        let lacking = may_lack_value(&rule, &formulas).then(FailureCandidates::default);
        let unreadable = reads_texts(&formulas).then(FailureCandidates::with_conversions);
        FailingRequests {
            lifter: self,
            expression,
            rule,
            repair: RequestRepair::new(&formulas, &others),
            formulas,
            others,
            searches: lacking.into_iter().chain(unreadable).collect(),
            found: VecDeque::new(),
        }
    }
}

impl Iterator for FailingRequests<'_> {
    type Item = FailingRequest;

    fn next(&mut self) -> Option<FailingRequest> {
        while self.found.is_empty() {
            let candidates = self.searches.front_mut()?;
            let others: Vec<RuleOfPlace<'_>> =
                self.others.iter().map(|formulas| RuleOfPlace { rule: &self.rule, formulas }).collect();
            let Some(pair) = candidates.next_pair(&self.rule, &self.formulas, &others) else {
                self.searches.pop_front();
                continue;
            };
            let is_planned = candidates.is_planned();
            let values = candidates.values(&self.rule, &self.formulas);
            let try_value =
                |value: &Json| self.lifter.try_request(self.expression, values.accepted_value(value)?);
            let failing = try_value(&pair.0);
            // Those that are made by chance are too many to change each.
            if failing.is_some() || is_planned {
                let made = self.repair.repaired_requests(&pair.0, &self.rule.schema);
                self.found.extend(made.iter().filter(|made| **made != pair.0).filter_map(try_value));
            }
            if failing.is_none() {
                candidates.note_harmless(pair);
            }
            self.found.extend(failing);
        }
        self.found.pop_front()
    }
}

impl PolicyLifter<'_> {
    /// The conditions that the rules in the schemas of a request's objects hold, as far as they are not about updates.
    fn rules_of_objects(&self) -> Vec<LiftedExpression> {
        let places = rule_places(&self.schema);
        let rules = places.iter().flat_map(RulePlace::to_rules).take(MOST_RULES);
        let condition = |rule: DefinitionRule| {
            if rule.source.is_transition_rule() || rule.source.optional_old_self {
                return None;
            }
            let (expression, checked) = rule.check_types().ok()?;
            let lifted = lift_expression(&expression, &checked, &[]).ok()?;
            let at_place = PlacedFormula::of_rule(&rule, lifted.holds, String::new());
            let holds = at_place.seen_from(0, false, &self.schema)?;
            Some(LiftedExpression { fails: Formula::negation_of(holds.clone()), holds })
        };
        rules.filter_map(condition).collect()
    }

    /// The request that a value stands for, if it ends an expression in an error.
    fn try_request(&self, expression: PolicyExpression, mut value: Json) -> Option<FailingRequest> {
        if !keep_objects_of_operation(&mut value) {
            return None;
        }
        let (request, params) = self.subject.request_of(&value);
        let error = self.policy.evaluate_expression(expression, &request, &params)?.err()?;
        let is_certain = !matches!(error.kind, ErrorKind::Cancelled | ErrorKind::Unsupported);
        is_certain.then(|| FailingRequest { request, params, error: error.to_string() })
    }
}

/// True if formulas name a function that has no value for some texts.
fn reads_texts(formulas: &LiftedExpression) -> bool {
    let mut found = false;
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| {
            if let Term::Call(call) = term {
                let is_computed = call.arguments.iter().any(|it| !matches!(it, Term::Constant(_)));
                let has_value = is_total(call) || readable_texts(&call.function, 0).is_none();
                found |= is_computed && !has_value;
            }
        });
    }
    found
}

/// The condition that a request has the objects of its operation: at its creation an object replaces none, and a deletion leaves none.
fn coherent_requests() -> LiftedExpression {
    let root = || Term::Root("self".to_owned());
    let part = |name: &str| root().with_field(name.to_owned());
    let is_operation = |name: &str| {
        let operation = part("request").with_field("operation".to_owned());
        Formula::comparison_of(
            operation,
            TermRelation::Equal,
            Term::Constant(Constant::Text(name.to_owned())),
        )
    };
    let lacks = |name: &str, operation: &str| {
        let is_there = Formula::is_defined(part(name));
        let alternatives = [
            Formula::all_of([is_operation(operation), is_there.clone()]),
            Formula::all_of([Formula::negation_of(is_operation(operation)), Formula::negation_of(is_there)]),
        ];
        Formula::any_of(alternatives)
    };
    let fails = Formula::any_of([lacks("oldObject", "CREATE"), lacks("object", "DELETE")]);
    LiftedExpression { holds: Formula::negation_of(fails.clone()), fails }
}
