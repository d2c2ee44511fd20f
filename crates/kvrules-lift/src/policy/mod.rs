//! Lifting of the expressions of a policy, for the objects of one resource.

mod failing_requests;
mod inline;
mod kinds;
mod object_rules;
mod request_repair;
mod subject;

use std::sync::Arc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::policy::acceptance::typed_environment;
use kvrules_apiserver::policy::{Policy, PolicyExpression, Request};
use kvrules_cel::ast::Expression;
use kvrules_cel::check::check_expression;
use kvrules_cel::value::{ErrorKind, Value};
use kvrules_ir::{Constant, Formula, Term};
use serde_json::Value as Json;

use crate::atoms::replace_term;
use crate::confirm::{Agreement, Confirmation};
use crate::evaluate::{FormulaScope, Operations};
use crate::lifter::lift_policy_expression;
use crate::opaque::{Opaque, OpaqueKind};
use crate::rules::DefinitionRule;
use crate::selections::require_decided_selections;
use crate::state::LiftedExpression;
use crate::synthesise::RuleValues;

pub use failing_requests::{FailingRequest, FailingRequests};
pub use inline::{inline_variables, rename_roots};
pub use kinds::{LiftOfKinds, lift_for_kinds};
pub use object_rules::{ObjectRule, object_rules};
pub use subject::PolicySubject;
use subject::{NULLABLE_ROOTS, ROOTS};

/// A policy whose expressions are lifted for the objects of one resource.
#[derive(Debug)]
pub struct PolicyLifter<'p> {
    document: &'p Json,
    policy: &'p Policy,
    subject: &'p PolicySubject,
    schema: Arc<Json>,
}

/// An expression of a policy with its formulas, which a server has confirmed on requests.
#[derive(Clone, Debug)]
pub struct LiftedPolicyExpression {
    /// The expression with the variables of the policy put in.
    pub expression: Expression,
    /// The formulas, about `object`, `oldObject`, `request`, `params` and `namespaceObject`. Where one of these is null, it has no
    /// value.
    pub formulas: LiftedExpression,
    /// The requests that confirm it.
    pub confirmation: Confirmation,
}

impl<'p> PolicyLifter<'p> {
    /// Prepares the lifting of a policy; `document` is what it was read from.
    pub fn new(document: &'p Json, policy: &'p Policy, subject: &'p PolicySubject) -> Self {
        Self { document, policy, subject, schema: subject.request_schema(document) }
    }

    /// Lifts an expression without confirming it. The formulas of one that is a text say when it is empty, and when it is not.
    ///
    /// # Errors
    ///
    /// The expression has no formula; the reason.
    pub fn lift_unconfirmed(
        &self,
        expression: PolicyExpression,
    ) -> Result<(Expression, LiftedExpression), Opaque> {
        let inlined = inline_variables(self.policy, expression)?;
        let inlined = if expression.is_text() { text_comparison(&inlined)? } else { inlined };
        let formulas = match self.lift_typed(&inlined) {
            Ok(formulas) => formulas,
            // The server evaluates expressions without types, so they may be about several kinds of objects.
            Err(opaque) if matches!(opaque.kind, OpaqueKind::Invalid | OpaqueKind::UnknownType) => {
                self.lift_untyped(&inlined)?
            }
            Err(opaque) => return Err(opaque),
        };
        if self.subject.params.is_none() && mentions_root(&formulas, "params") {
            return Err(Opaque::whole(OpaqueKind::Construct("parameters of a kind that is not known")));
        }
        Ok((inlined, formulas))
    }

    fn lift_typed(&self, inlined: &Expression) -> Result<LiftedExpression, Opaque> {
        let environment =
            typed_environment(self.document, Some(&self.subject.object), self.subject.params.as_ref());
        let checked =
            check_expression(inlined, &environment).map_err(|_| Opaque::whole(OpaqueKind::Invalid))?;
        lift_policy_expression(inlined, &checked, NULLABLE_ROOTS, None)
    }

    fn lift_untyped(&self, inlined: &Expression) -> Result<LiftedExpression, Opaque> {
        let environment = typed_environment(self.document, None, None);
        let checked =
            check_expression(inlined, &environment).map_err(|_| Opaque::whole(OpaqueKind::Invalid))?;
        lift_policy_expression(inlined, &checked, NULLABLE_ROOTS, Some(&self.schema))
    }

    /// Lifts an expression, and confirms the formulas on so many requests.
    ///
    /// # Errors
    ///
    /// The expression has no formula, or the server does not confirm it; the reason.
    ///
    /// ```
    /// use kvrules_apiserver::policy::{Policy, PolicyExpression};
    /// use kvrules_lift::{PolicyLifter, PolicySubject, show_formula};
    /// use serde_json::json;
    ///
    /// let document = json!({"spec": {
    ///     "matchConstraints": {"resourceRules": [
    ///         {"apiGroups": ["a.io"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["CREATE"]}]},
    ///     "variables": [{"name": "size", "expression": "object.spec.size"}],
    ///     "validations": [{"expression": "variables.size < 10"}],
    /// }});
    /// let size = json!({"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}});
    /// let subject = PolicySubject {
    ///     group: "a.io".to_owned(), version: "v1".to_owned(), resource: "things".to_owned(), kind: "Thing".to_owned(),
    ///     object: json!({"type": "object", "required": ["spec"], "properties": {"spec": size}}), params: None,
    /// };
    /// let policy = Policy::from_json(&document);
    /// let lifter = PolicyLifter::new(&document, &policy, &subject);
    /// let lifted = lifter.lift_expression(PolicyExpression::Validation(0), 50).unwrap();
    /// assert_eq!(show_formula(&lifted.formulas.fails), "object.spec.size >= 10");
    /// ```
    pub fn lift_expression(
        &self,
        expression: PolicyExpression,
        requests: usize,
    ) -> Result<LiftedPolicyExpression, Opaque> {
        let (inlined, formulas) = self.lift_unconfirmed(expression)?;
        let confirmation = self.confirm(expression, &formulas, requests);
        if confirmation.contradiction.is_some() {
            return Err(Opaque::whole(OpaqueKind::Contradicted));
        }
        if confirmation.objects == 0 {
            return Err(Opaque::whole(OpaqueKind::Unconfirmed));
        }
        Ok(LiftedPolicyExpression { expression: inlined, formulas, confirmation })
    }

    /// Lifts a validation with the match conditions, as a condition on the object that is created, which is `self`. An object that a
    /// match condition excludes passes, and a condition that is false wins over one that ends in an error.
    ///
    /// # Errors
    ///
    /// An expression has no formula, or reads more than the object; the reason.
    pub fn lift_for_object(&self, validation: usize, requests: usize) -> Result<LiftedExpression, String> {
        let lifted = self.lift_guarded(validation, requests, &["object"])?;
        let (object, this) = (Term::Root("object".to_owned()), Term::Root("self".to_owned()));
        let about_self = |formula: &Formula| replace_term(&self.with_known_kind(formula), &object, &this);
        Ok(LiftedExpression { holds: about_self(&lifted.holds), fails: about_self(&lifted.fails) })
    }

    /// Lifts a validation as [`lift_for_object`](Self::lift_for_object) does, as a condition on the object, which is `self.object`, and
    /// the parameters, which are `self.params`.
    ///
    /// # Errors
    ///
    /// An expression has no formula, or reads more than these; the reason.
    pub fn lift_for_object_and_params(
        &self,
        validation: usize,
        requests: usize,
    ) -> Result<LiftedExpression, String> {
        let lifted = self.lift_guarded(validation, requests, &["object", "params"])?;
        let [holds, fails] = [&lifted.holds, &lifted.fails].map(|formula| self.with_known_kind(formula));
        Ok(self.as_rule(&LiftedExpression { holds, fails }).1)
    }

    /// The formulas of a validation where the match conditions hold, which may read some of the names.
    // admission/plugin/webhook/matchconditions/matcher.go, matcher.Match
    fn lift_guarded(
        &self,
        validation: usize,
        requests: usize,
        names: &[&str],
    ) -> Result<LiftedExpression, String> {
        let lift = |expression: PolicyExpression| {
            let lifted = self.lift_expression(expression, requests).map_err(|opaque| opaque.to_string())?;
            let others = ROOTS.iter().filter(|root| !names.contains(root));
            match others.into_iter().find(|root| mentions_root(&lifted.formulas, root)) {
                Some(root) => Err(format!("it reads `{root}`")),
                None => Ok(lifted.formulas),
            }
        };
        let validated = lift(PolicyExpression::Validation(validation))?;
        let conditions: Result<Vec<_>, _> = (0..self.policy.conditions.len())
            .map(|index| lift(PolicyExpression::MatchCondition(index)))
            .collect();
        let conditions = conditions?;
        let applies = || Formula::all_of(conditions.iter().map(|it| it.holds.clone()));
        let excluded = Formula::any_of(conditions.iter().map(|it| it.fails.clone()));
        let holds = Formula::any_of([excluded, Formula::all_of([applies(), validated.holds])]);
        let fails = Formula::all_of([applies(), validated.fails]);
        Ok(LiftedExpression { holds, fails })
    }

    /// A formula in which the kind and the version of the object are known.
    fn with_known_kind(&self, formula: &Formula) -> Formula {
        let known = [("kind", self.subject.kind.clone()), ("apiVersion", self.subject.api_version())];
        known.into_iter().fold(formula.clone(), |formula, (name, value)| {
            let field = Term::Root("object".to_owned()).with_field(name);
            replace_term(&formula, &field, &Term::Constant(Constant::Text(value)))
        })
    }

    /// The formulas as those of a rule about requests: `object` is `self.object`.
    pub fn as_rule(&self, formulas: &LiftedExpression) -> (DefinitionRule<'static>, LiftedExpression) {
        let rule = DefinitionRule {
            place: Vec::new(),
            schema: Arc::clone(&self.schema).into(),
            index: 0,
            source: RuleSource::default(),
            constant_fields: Vec::new(),
        };
        let of_self = |formula: &Formula| {
            ROOTS.iter().fold(formula.clone(), |formula, name| {
                let root = Term::Root((*name).to_owned());
                let part = Term::Root("self".to_owned()).with_field((*name).to_owned());
                replace_term(&formula, &root, &part)
            })
        };
        (rule, LiftedExpression { holds: of_self(&formulas.holds), fails: of_self(&formulas.fails) })
    }

    /// Returns a formula of an expression with the requirements that it implies on each entry of which it selects some, as
    /// [`require_decided_selections`] does for rules.
    pub fn require_decided_selections(&self, formula: &Formula) -> Option<Formula> {
        let formulas = LiftedExpression { holds: formula.clone(), fails: Formula::False };
        let (rule, formulas) = self.as_rule(&formulas);
        let complete = require_decided_selections(&formulas.holds, &rule)?;
        Some(ROOTS.iter().fold(complete, |formula, name| {
            let part = Term::Root("self".to_owned()).with_field((*name).to_owned());
            replace_term(&formula, &part, &Term::Root((*name).to_owned()))
        }))
    }

    /// Requests on which the atoms of formulas differ.
    pub fn generate_requests(&self, formulas: &LiftedExpression) -> PolicyRequests<'_> {
        let (rule, formulas) = self.as_rule(formulas);
        PolicyRequests { lifter: self, values: RuleValues::of_schema(&rule.schema, &formulas), index: 0 }
    }

    fn confirm(
        &self,
        expression: PolicyExpression,
        formulas: &LiftedExpression,
        count: usize,
    ) -> Confirmation {
        let mut confirmation = Confirmation::default();
        let operations = Operations::default();
        for generated in self.generate_requests(formulas).take(count * 3) {
            if confirmation.objects >= count {
                break;
            }
            let Some((value, request, params)) = generated else { continue };
            let Some(agreement) = self.compare(expression, formulas, &request, &params, &operations) else {
                continue;
            };
            confirmation.count_agreement(agreement, &value, None);
            if confirmation.contradiction.is_some() {
                break;
            }
        }
        confirmation
    }

    /// Compares formulas and server for a request. `None` if the server gives up.
    fn compare(
        &self,
        expression: PolicyExpression,
        formulas: &LiftedExpression,
        request: &Request,
        params: &Json,
        operations: &Operations,
    ) -> Option<Agreement> {
        let result = self.policy.evaluate_expression(expression, request, params)?;
        let gives_up = |kind| matches!(kind, ErrorKind::Cancelled | ErrorKind::Unsupported);
        if result.as_ref().is_err_and(|error| gives_up(error.kind)) {
            return None;
        }
        let mut scope = FormulaScope::sharing(operations);
        for (name, value) in self.policy.root_values(request, params) {
            if !matches!(value, Value::Null | Value::Unknown(_)) {
                scope = scope.with_root(name, value);
            }
        }
        let holds = scope.formula_holds(&formulas.holds);
        Some(Agreement::of_results(result, holds, scope.formula_holds(&formulas.fails)))
    }
}

/// The comparison of an expression with the empty text, which has a value where the expression has one.
fn text_comparison(expression: &Expression) -> Result<Expression, Opaque> {
    let text = format!("dyn({}\n) == ''", expression.source);
    kvrules_cel::parse(&text).map_err(|_| Opaque::whole(OpaqueKind::Invalid))
}

fn mentions_root(formulas: &LiftedExpression, root: &str) -> bool {
    let mut found = false;
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| found |= matches!(term, Term::Root(name) if name == root));
    }
    found
}

/// Requests that a schema accepts, with the value that each is made from and the parameters. `None` stands for one that the
/// schema rejects.
pub struct PolicyRequests<'l> {
    lifter: &'l PolicyLifter<'l>,
    values: RuleValues,
    index: usize,
}

impl Iterator for PolicyRequests<'_> {
    type Item = Option<(Json, Request, Json)>;

    fn next(&mut self) -> Option<Self::Item> {
        let made = self.values.make_value(self.index);
        self.index += 1;
        let Some(mut value) = self.values.stored(&made) else { return Some(None) };
        if !keep_objects_of_operation(&mut value) {
            return Some(None);
        }
        let (request, params) = self.lifter.subject.request_of(&value);
        Some(Some((value, request, params)))
    }
}

/// Drops the object that the operation does not have; false if the one that it has is absent.
fn keep_objects_of_operation(value: &mut Json) -> bool {
    let operation = value.pointer("/request/operation").and_then(Json::as_str).map(str::to_owned);
    let Some(parts) = value.as_object_mut() else { return false };
    match operation.as_deref() {
        Some("CREATE") => {
            parts.remove("oldObject");
            parts.contains_key("object")
        }
        Some("DELETE") => {
            parts.remove("object");
            parts.contains_key("oldObject")
        }
        Some("UPDATE") => parts.contains_key("object") && parts.contains_key("oldObject"),
        _ => false,
    }
}
