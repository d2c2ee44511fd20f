//! Operations of which no request satisfies all validations of a policy, so that the server denies every one.

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{LiftedExpression, PolicyLifter, is_implied};
use serde_json::Value;

use super::ExaminedSubject;

/// The names of the operations whose requests are never admitted, and if these are all operations that the policy matches.
pub(super) struct DeniedOperations {
    pub(super) names: Vec<&'static str>,
    pub(super) are_all: bool,
}

/// Finds the operations whose requests about objects of these kinds are never admitted.
pub(super) fn find_denied_operations(
    document: &Value,
    policy: &Policy,
    subjects: &[ExaminedSubject],
) -> DeniedOperations {
    let matched = |operation: &&&'static str| {
        subjects.iter().any(|subject| subject.declared.matched_operations(document).contains(*operation))
    };
    let operations: Vec<&'static str> =
        ["CREATE", "UPDATE", "DELETE"].iter().filter(matched).copied().collect();
    let is_denied = |operation: &&&'static str, reads: Reads| {
        let alone = with_operation(document, operation);
        let mut about = subjects
            .iter()
            .filter(|subject| subject.declared.matched_operations(document).contains(*operation))
            .peekable();
        about.peek().is_some()
            && about.all(|subject| is_never_admitted(&alone, (operation, reads), policy, subject))
    };
    let denied_if = |reads: Reads| -> Vec<&'static str> {
        operations.iter().filter(|operation| is_denied(operation, reads)).copied().collect()
    };
    let names = denied_if(super::reads_content);
    if !names.is_empty() {
        return DeniedOperations { are_all: names.len() == operations.len(), names };
    }
    // A policy may forbid creates by `oldObject != null`, and then admits another operation.
    let names = Some(denied_if(reads_presence)).filter(|names| names.len() == operations.len());
    DeniedOperations { are_all: true, names: names.unwrap_or_default() }
}

/// The policy for the requests with one operation.
fn with_operation(document: &Value, operation: &str) -> Value {
    let mut alone = document.clone();
    let rules = alone.pointer_mut("/spec/matchConstraints/resourceRules").and_then(Value::as_array_mut);
    for rule in rules.into_iter().flatten() {
        let operations = rule.get_mut("operations").and_then(Value::as_array_mut);
        if let Some(operations) = operations {
            let is_matched = operations.iter().any(|it| *it == operation || *it == "*");
            *operations = if is_matched { vec![operation.into()] } else { Vec::new() };
        }
    }
    alone
}

/// A test of the formulas of one validation at least: others are false on purpose.
type Reads = fn(&LiftedExpression) -> bool;

/// True if formulas are about the presence of the object or of the old one.
fn reads_presence(formulas: &LiftedExpression) -> bool {
    let mut found = false;
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_formulas(&mut |part| {
            found |= matches!(part, Formula::Defined(Term::Root(name)) if matches!(name.as_str(), "object" | "oldObject"));
        });
    }
    found
}

/// True if some requests are evaluated, and none of them satisfies the validations.
fn is_never_admitted(
    document: &Value,
    (operation, reads): (&str, Reads),
    policy: &Policy,
    subject: &ExaminedSubject,
) -> bool {
    let lifter = PolicyLifter::new(document, policy, &subject.declared);
    let lift = |expression: PolicyExpression| Some(lifter.lift_unconfirmed(expression).ok()?.1);
    let is_condition =
        |expression: &PolicyExpression| matches!(expression, PolicyExpression::MatchCondition(_));
    let (conditions, validations): (Vec<_>, Vec<_>) =
        policy.truth_expressions().into_iter().partition(is_condition);
    // Requests that satisfy a condition without a formula may be fewer, which denies no less.
    let conditions: Vec<LiftedExpression> = conditions.into_iter().filter_map(lift).collect();
    let validations: Vec<LiftedExpression> = validations.into_iter().filter_map(lift).collect();
    if !validations.iter().any(reads) {
        return false;
    }
    // admission/plugin/policy/validating/validator.go, Validate: an error that is ignored admits the request
    let is_ignored = policy.failure_policy == FailurePolicy::Ignore;
    let admitted =
        validations.into_iter().map(|it| if is_ignored { Formula::negation_of(it.fails) } else { it.holds });
    let absent = match operation {
        "CREATE" => Some("oldObject"),
        "DELETE" => Some("object"),
        _ => None,
    };
    let absent = absent.map(|name| Formula::negation_of(Formula::is_defined(Term::Root(name.to_owned()))));
    let evaluated = Formula::all_of(conditions.into_iter().map(|it| it.holds).chain(absent));
    let is_never = |holds: Formula| {
        // The formulas are of several expressions, whose loops may have the same variables.
        let (rule, formulas) = lifter.as_rule(&LiftedExpression { holds, fails: Formula::False });
        is_implied(&[&formulas.holds], &Formula::False, &rule.schema)
    };
    !is_never(evaluated.clone()) && is_never(Formula::all_of(std::iter::once(evaluated).chain(admitted)))
}
