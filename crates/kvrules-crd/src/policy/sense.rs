//! The sense of the expressions of a policy: objects for which they end in an error, and expressions that are always true or never.

mod denied_operations;
mod error_cause;
mod failing_requests;
mod failure_finding;
mod named_parts;

use kvrules_apiserver::policy::{FailurePolicy, Policy, PolicyExpression, Validation};
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_ir::Term;
use kvrules_lift::{LiftedExpression, PolicyLifter, RuleSense, examine_rule};
use kvrules_syntax::Node;
use serde_json::Value;

use super::kinds::{ExaminedSubject, examined_subjects, has_unknown_subjects};
use crate::definition::enum_finding;
use crate::guards::{Absence, FirstCause, GuardedExpression, guard_expression};
use crate::lints;
use crate::message_mismatch::find_mismatch;
use crate::run_resources::RunResources;
use denied_operations::find_denied_operations;
use error_cause::ErrorCause;
use failing_requests::{FailureSearch, PolicyFailure, matched_name};
use failure_finding::failing_expression;

/// The most kinds of objects for which a policy is examined.
const MOST_KINDS: usize = 10;

/// An expression that is true or false, lifted for the objects of one kind.
struct ExaminedExpression {
    expression: PolicyExpression,
    formulas: LiftedExpression,
    sense: RuleSense,
}

/// A kind of objects with the expressions of the policy that are lifted for it.
struct ExaminedKind<'a> {
    subject: &'a ExaminedSubject,
    lifter: PolicyLifter<'a>,
    expressions: Vec<ExaminedExpression>,
    /// Those that are texts, and so have no sense of their own.
    texts: Vec<(PolicyExpression, LiftedExpression)>,
}

/// Findings about the sense of the expressions of a policy that a server accepts.
pub(super) fn sense_findings(node: Node<'_>, document: &Value, run: &RunResources) -> Vec<Diagnostic> {
    let subjects = examined_subjects(document, run);
    if subjects.is_empty() || subjects.len() > MOST_KINDS {
        return Vec::new();
    }
    let policy = Policy::from_json(document);
    let kinds: Vec<ExaminedKind<'_>> =
        subjects.iter().map(|subject| ExaminedKind::new(document, &policy, subject)).collect();
    let covers_all = !has_unknown_subjects(document, run);
    let finding = |expression: PolicyExpression| {
        let value = super::find_field_entry(node, &expression.field())?.0.value;
        let span = crate::schema_location::node_head_span(value);
        let examined = ExpressionOfKinds {
            document,
            policy: &policy,
            kinds: &kinds,
            expression,
            covers_all,
            node: value,
            span,
        };
        Some(examined.finding()?.with_field(expression.field()))
    };
    let expressions = policy.truth_expressions().into_iter().chain(policy.text_expressions());
    let mut findings: Vec<Diagnostic> = expressions.filter_map(finding).collect();
    let has_cause =
        findings.iter().any(|it| it.is_of(&lints::CONSTANT_RULE) || it.is_of(&lints::FAILING_RULE));
    if covers_all && !has_cause {
        findings.extend(denied_finding(node, document, &policy, &subjects));
    }
    findings.extend(message_findings(node, &policy, &kinds));
    findings
}

/// The validations exclude each other, so that no request of an operation is admitted, although each expression may hold.
fn denied_finding(
    node: Node<'_>,
    document: &Value,
    policy: &Policy,
    subjects: &[ExaminedSubject],
) -> Option<Diagnostic> {
    let denied = find_denied_operations(document, policy, subjects);
    if denied.names.is_empty() {
        return None;
    }
    let value = super::find_field_entry(node, "spec.validations")?.0.value;
    let span = crate::schema_location::node_head_span(value);
    let (message, help) = if denied.are_all {
        (
            "no request satisfies the validations: the policy denies every request that it matches"
                .to_owned(),
            "correct them: no object that the schema accepts has the values that they require together"
                .to_owned(),
        )
    } else {
        let names = denied.names.join(" or ");
        (
            format!("no {names} satisfies the validations: the policy denies every one that it matches"),
            format!("leave {names} out of `operations`, or correct the expressions"),
        )
    };
    let finding = lints::CONSTANT_RULE.diagnostic_at(span, message).with_help(help);
    Some(finding.with_field("spec.validations".to_owned()))
}

/// The messages of validations that say something else than their expressions.
fn message_findings(node: Node<'_>, policy: &Policy, kinds: &[ExaminedKind<'_>]) -> Vec<Diagnostic> {
    let finding = |(index, validation): (usize, &Validation)| {
        let expression = PolicyExpression::Validation(index);
        let formulas = &kinds.iter().find_map(|kind| kind.find_expression(expression))?.formulas;
        let field = format!("spec.validations[{index}].message");
        let find_span = || Some(super::find_field_entry(node, &field)?.0.value.span());
        Some(find_mismatch(&formulas.holds, &validation.message, find_span)?.with_field(field.clone()))
    };
    policy.validations.iter().enumerate().filter_map(finding).collect()
}

impl<'a> ExaminedKind<'a> {
    fn new(document: &'a Value, policy: &'a Policy, subject: &'a ExaminedSubject) -> Self {
        let lifter = PolicyLifter::new(document, policy, &subject.declared);
        let examine = |expression: PolicyExpression| {
            let (_, formulas) = lifter.lift_unconfirmed(expression).ok()?;
            let (rule, of_self) = lifter.as_rule(&formulas);
            let sense = examine_rule(&rule, &of_self);
            Some(ExaminedExpression { expression, formulas, sense })
        };
        let expressions: Vec<_> = policy.truth_expressions().into_iter().filter_map(examine).collect();
        let lift_text =
            |expression: PolicyExpression| Some((expression, lifter.lift_unconfirmed(expression).ok()?.1));
        let texts: Vec<_> = policy.text_expressions().into_iter().filter_map(lift_text).collect();
        Self { subject, lifter, expressions, texts }
    }

    /// A request that ends an expression in an error.
    fn find_failure(
        &self,
        document: &Value,
        policy: &Policy,
        expression: PolicyExpression,
    ) -> Option<PolicyFailure> {
        let truths = self.expressions.iter().map(|it| (it.expression, &it.formulas));
        let all: Vec<_> =
            truths.chain(self.texts.iter().map(|(expression, formulas)| (*expression, formulas))).collect();
        let (_, formulas) = all.iter().find(|(known, _)| *known == expression)?;
        let subject = &self.subject.stored;
        let lifter = PolicyLifter::new(document, policy, subject);
        let object_name = matched_name(document);
        FailureSearch { policy, subject, lifter: &lifter, object_name, formulas: &all }
            .find_failure(expression, formulas)
    }

    fn find_expression(&self, expression: PolicyExpression) -> Option<&ExaminedExpression> {
        self.expressions.iter().find(|it| it.expression == expression)
    }
}

/// One expression of a policy for all kinds of its objects.
struct ExpressionOfKinds<'a> {
    document: &'a Value,
    policy: &'a Policy,
    kinds: &'a [ExaminedKind<'a>],
    expression: PolicyExpression,
    /// True if the policy matches objects of these kinds alone.
    covers_all: bool,
    /// The value that has the expression.
    node: Node<'a>,
    span: Span,
}

impl<'a> ExpressionOfKinds<'a> {
    fn finding(&self) -> Option<Diagnostic> {
        if self.expression.is_text() {
            return self.failing_finding();
        }
        self.enum_finding().or_else(|| self.constant_finding()).or_else(|| self.failing_finding())
    }

    /// The expression has the same value for all objects of all kinds.
    fn constant_finding(&self) -> Option<Diagnostic> {
        let is_of_all = |has_sense: fn(&RuleSense) -> bool| {
            let has = |kind: &ExaminedKind<'_>| {
                kind.find_expression(self.expression).is_some_and(|it| has_sense(&it.sense))
            };
            self.covers_all && self.kinds.iter().all(has)
        };
        // `false`, and `object.kind != 'CronJob'`, are written on purpose.
        let examined = || self.kinds.iter().filter_map(|kind| kind.find_expression(self.expression));
        if !examined().any(|it| reads_content(&it.formulas)) {
            return None;
        }
        let is_condition = matches!(self.expression, PolicyExpression::MatchCondition(_));
        // `true` and `false` are written on purpose.
        let (message, help) = if is_of_all(|it| it.is_always_true) {
            (
                "the expression is true for every request that the policy matches",
                "remove it, or correct it: it is true whatever the fields that it reads contain",
            )
        } else if is_of_all(|it| it.is_never_true) {
            if is_condition {
                (
                    "no request satisfies the condition: the policy does nothing",
                    "correct it: no object that the schema accepts has the values that it requires",
                )
            } else {
                // admission/plugin/policy/validating/validator.go, Validate: an error that is ignored admits the request
                let message = if self.policy.failure_policy == FailurePolicy::Ignore {
                    "no request satisfies the validation: the policy rejects every object for which it does not end in an error"
                } else {
                    "no request satisfies the validation: the policy rejects every object that it matches"
                };
                (message, "correct it: no object that the schema accepts has the values that it requires")
            }
        } else {
            return None;
        };
        Some(lints::CONSTANT_RULE.diagnostic_at(self.span, message).with_help(help))
    }

    /// The expression compares a field with a text that the enum of the field does not have, for every kind that has the field.
    fn enum_finding(&self) -> Option<Diagnostic> {
        let kind = self.kinds.iter().find(|kind| {
            kind.find_expression(self.expression)
                .is_some_and(|it| it.sense.unknown_values.iter().any(|(path, _)| is_of_spec(path)))
        })?;
        let examined = kind.find_expression(self.expression)?;
        let (path, value) = examined.sense.unknown_values.iter().find(|(path, _)| is_of_spec(path))?;
        let (rule, _) = kind.lifter.as_rule(&examined.formulas);
        let is_of_all = self.kinds.iter().all(|kind| {
            let Some(it) = kind.find_expression(self.expression) else { return false };
            it.sense.unknown_values.iter().any(|other| other == &(path.clone(), value.clone()))
        });
        is_of_all.then(|| enum_finding(&rule.schema, path, value, self.span))
    }

    /// The expression ends in an error for an object that all else accepts.
    fn failing_finding(&self) -> Option<Diagnostic> {
        let find = |kind: &'a ExaminedKind<'a>| {
            let failure = kind.find_failure(self.document, self.policy, self.expression)?;
            Some((&kind.subject.declared.kind, failure))
        };
        let (kind, failure) = self.kinds.iter().find_map(find)?;
        let guarded = self.guarded(&failure);
        let fix = guarded.as_ref().and_then(|guarded| guarded.to_fix(self.node));
        let finding =
            failing_expression(self.policy, (self.expression, kind), &failure, guarded.as_ref(), self.span);
        Some(finding.fix_if(fix))
    }

    /// The expression with tests after which it ends in no error.
    fn guarded(&self, failure: &PolicyFailure) -> Option<GuardedExpression> {
        if self.expression.is_text() {
            return None;
        }
        let pointer = format!("/{}", self.expression.field().replace(['.', '['], "/").replace(']', ""));
        let source = self.document.pointer(&pointer)?.as_str()?;
        let absence = match self.expression {
            PolicyExpression::MatchCondition(_) => Absence::Fails,
            _ => Absence::Passes,
        };
        let first = match &failure.cause {
            ErrorCause::NullRoot(root) => FirstCause::NullRoot(root),
            _ => FirstCause::Error(&failure.error),
        };
        guard_expression(source, first, absence, &mut |text| {
            let mut document = self.document.clone();
            if let Some(place) = document.pointer_mut(&pointer) {
                *place = text.into();
            }
            self.find_error_of(&document)
        })
    }

    /// The error of the expression in another form of the policy; an empty text if it has no meaning there.
    fn find_error_of(&self, document: &Value) -> Option<String> {
        let policy = Policy::from_json(document);
        self.kinds.iter().find_map(|kind| {
            let kind = ExaminedKind::new(document, &policy, kind.subject);
            if kind.find_expression(self.expression).is_none() {
                return Some(String::new());
            }
            kind.find_failure(document, &policy, self.expression).map(|failure| failure.error)
        })
    }
}

/// True if formulas are about more than the kind of the object and the request.
fn reads_content(formulas: &LiftedExpression) -> bool {
    let mut found = false;
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| {
            if let Term::Field(of, name) = term
                && let Term::Root(root) = &**of
            {
                let is_kind = matches!(name.as_str(), "kind" | "apiVersion");
                found |= matches!(root.as_str(), "object" | "oldObject" | "params") && !is_kind;
            }
        });
    }
    found
}

/// True for fields that the kind alone decides about; the kind itself is compared on purpose.
fn is_of_spec(path: &str) -> bool {
    !matches!(
        path,
        "self.object.kind" | "self.object.apiVersion" | "self.oldObject.kind" | "self.oldObject.apiVersion"
    ) && !path.starts_with("self.request.")
}
