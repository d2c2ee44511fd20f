//! Requests for which a policy ends in an error because something is missing.

use std::collections::HashMap;

use kvrules_apiserver::policy::{
    Binding, BindingOutcome, DecisionOrigin, Policy, PolicyExpression, PolicyOutcome, Request, report_request,
};
use kvrules_ir::{Constant, Formula, Term, VariableId};
use kvrules_lift::{LiftedExpression, PolicyLifter, PolicySubject};
use serde_json::{Value, json};

/// A request for which an expression ends in an error.
pub(super) struct PolicyFailure {
    /// The operation of the request.
    pub(super) operation: String,
    pub(super) missing: MissingPart,
    /// The server's text.
    pub(super) error: String,
}

/// The part of a request without which an expression has no value.
pub(super) enum MissingPart {
    /// A field, as expressions name it.
    Field(String),
    /// `object` or `oldObject`.
    Root(String),
}

/// Number of requests that are tried.
const TRIES: usize = 100;

/// The requests about objects of one kind that a policy refuses because of errors alone.
pub(super) struct FailingRequests<'a> {
    subject: &'a PolicySubject,
    failing: Vec<FailingRequest>,
}

/// A request that ends expressions in errors.
struct FailingRequest {
    request: Request,
    has_params: bool,
    /// The expressions, and the names of what they miss.
    missed: Vec<(PolicyExpression, String)>,
}

impl<'a> FailingRequests<'a> {
    /// Evaluates a policy for requests on which its expressions differ.
    pub(super) fn find_requests(
        lifter: &PolicyLifter<'_>,
        policy: &Policy,
        subject: &'a PolicySubject,
        formulas: &LiftedExpression,
    ) -> Self {
        let evaluate = |(_, mut request, params): (Value, Request, Value)| {
            let missed = errors_alone(policy, &mut request, &params)?;
            Some(FailingRequest { request, has_params: !params.is_null(), missed })
        };
        let failing = lifter.generate_requests(formulas).take(TRIES).flatten().filter_map(evaluate).collect();
        Self { subject, failing }
    }

    /// Looks for a request that ends an expression in an error, and which a server can have: fields that it fills in itself are
    /// not left out.
    pub(super) fn find_failure(
        &self,
        expression: PolicyExpression,
        formulas: &LiftedExpression,
    ) -> Option<PolicyFailure> {
        let paths = named_paths(formulas);
        // A binding with `paramRef` has parameters, or refuses the request by itself.
        let needs_params = paths.iter().any(|(term, _)| is_of_params(term));
        self.failing.iter().filter(|it| it.has_params || !needs_params).find_map(|it| {
            let (_, key) = it.missed.iter().find(|(missed, _)| *missed == expression)?;
            let missing = missing_part(&paths, key, &it.request, self.subject)?;
            let operation = it.request.operation.clone();
            Some(PolicyFailure { operation, missing, error: format!("no such key: {key}") })
        })
    }
}

/// The expressions that miss something, if nothing else refuses the request.
fn errors_alone(
    policy: &Policy,
    request: &mut Request,
    params: &Value,
) -> Option<Vec<(PolicyExpression, String)>> {
    let mut spec = json!({"policyName": policy.name, "validationActions": ["Deny"]});
    if let (Some(_), Some(fields), false) = (&policy.param_kind, spec.as_object_mut(), params.is_null()) {
        fields.insert("paramRef".to_owned(), json!({"name": "params", "parameterNotFoundAction": "Deny"}));
        request.params = vec![("params".to_owned(), params.clone())];
    }
    let binding = Binding::from_json(&json!({"metadata": {"name": "all"}, "spec": spec}));
    let reports = report_request(std::slice::from_ref(policy), std::slice::from_ref(&binding), request);
    let PolicyOutcome::Bound(bound) = &reports.first()?.outcome else { return None };
    let BindingOutcome::Evaluated(evaluated) = &bound.first()?.outcome else { return None };
    let [report] = evaluated.as_slice() else { return None };
    if !report.decisions.iter().all(|decision| decision.is_error) {
        return None;
    }
    let missed = report.decisions.iter().filter_map(|decision| {
        let expression = match decision.origin {
            DecisionOrigin::Validation(index) => PolicyExpression::Validation(index),
            DecisionOrigin::MatchConditions(index) => PolicyExpression::MatchCondition(index?),
            _ => return None,
        };
        let (_, key) = decision.message.rsplit_once("no such key: ")?;
        Some((expression, key.trim().to_owned()))
    });
    Some(missed.collect())
}

/// The fields that formulas name, and their names. A variable of a loop is an item of its range.
fn named_paths(formulas: &LiftedExpression) -> Vec<(Term, String)> {
    let mut ranges = HashMap::new();
    collect_ranges(&formulas.holds, &mut ranges);
    collect_ranges(&formulas.fails, &mut ranges);
    let mut paths = Vec::new();
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term {
                let named = (resolve_items(term, &ranges, MOST_LOOPS), name.clone());
                if !paths.contains(&named) {
                    paths.push(named);
                }
            }
        });
    }
    paths
}

/// True for parts of the parameters.
fn is_of_params(term: &Term) -> bool {
    match term {
        Term::Root(name) => name == "params",
        Term::Field(of, _) | Term::Index(of, _) => is_of_params(of),
        _ => false,
    }
}

/// The most loops inside each other that are resolved.
const MOST_LOOPS: usize = 8;

fn collect_ranges(formula: &Formula, ranges: &mut HashMap<VariableId, Term>) {
    formula.visit_formulas(&mut |part| {
        if let Formula::Each(it) | Formula::Some(it) = part
            && let Some(value) = it.entry.value
        {
            ranges.insert(value, it.range.clone());
        }
    });
    formula.visit_terms(&mut |term| {
        if let Term::Collect(it) = term
            && let Some(value) = it.entry.value
        {
            ranges.insert(value, it.range.clone());
        }
    });
}

/// The term with items of ranges in place of variables.
fn resolve_items(term: &Term, ranges: &HashMap<VariableId, Term>, loops: usize) -> Term {
    let resolve = |term: &Term| resolve_items(term, ranges, loops);
    match term {
        Term::Variable(variable) if loops > 0 => match ranges.get(variable) {
            Some(range) => {
                let range = resolve_items(range, ranges, loops - 1);
                Term::Index(Box::new(range), Box::new(Term::Constant(Constant::Null)))
            }
            None => term.clone(),
        },
        Term::Field(of, name) => resolve(of).with_field(name.clone()),
        Term::Index(of, key) => Term::Index(Box::new(resolve(of)), key.clone()),
        // Items of lists that are joined are those of the first.
        Term::Call(call) if call.function == "+" => {
            call.arguments.first().map_or_else(|| term.clone(), resolve)
        }
        Term::Collect(it) => resolve(&it.range),
        _ => term.clone(),
    }
}

/// The part that is missing, if every field of this name that the formulas read may be missing.
fn missing_part(
    paths: &[(Term, String)],
    key: &str,
    request: &Request,
    subject: &PolicySubject,
) -> Option<MissingPart> {
    let mut shown = None;
    for (term, _) in paths.iter().filter(|(_, name)| name == key) {
        let Term::Field(of, _) = term else { return None };
        if let Term::Root(root) = &**of {
            let value = match root.as_str() {
                "object" => &request.object,
                "oldObject" => &request.old_object,
                _ => return None,
            };
            if !value.is_null() {
                return None;
            }
            return Some(MissingPart::Root(root.clone()));
        }
        if !super::presence::may_be_absent(of, key, subject) {
            return None;
        }
        shown.get_or_insert_with(|| super::presence::path_text(term));
    }
    shown.map(MissingPart::Field)
}
