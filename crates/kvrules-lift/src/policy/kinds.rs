//! Lifting of a policy's expressions for several kinds of objects.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use serde_json::Value as Json;

use super::{LiftedPolicyExpression, PolicyLifter, PolicySubject};
use crate::opaque::Opaque;
use crate::show::show_formula;

/// An expression lifted for kinds of objects for which it has the same formulas.
#[derive(Debug)]
pub struct LiftOfKinds<'s> {
    /// The kinds.
    pub subjects: Vec<&'s PolicySubject>,
    /// The expression with its formulas, confirmed for the first of the kinds that has them, or the reason why it has none.
    pub lifted: Result<LiftedPolicyExpression, Opaque>,
}

/// Lifts an expression of a policy for each kind of objects, and confirms it for each on so many requests. Kinds with the same
/// formulas are one entry.
pub fn lift_for_kinds<'s>(
    document: &Json,
    policy: &Policy,
    subjects: &'s [PolicySubject],
    expression: PolicyExpression,
    requests: usize,
) -> Vec<LiftOfKinds<'s>> {
    let mut found: Vec<(String, LiftOfKinds<'s>)> = Vec::new();
    for subject in subjects {
        let lifted = PolicyLifter::new(document, policy, subject).lift_expression(expression, requests);
        let text = match &lifted {
            Ok(it) => format!("{}\n{}", show_formula(&it.formulas.holds), show_formula(&it.formulas.fails)),
            Err(opaque) => opaque.to_string(),
        };
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, of)) => of.subjects.push(subject),
            None => found.push((text, LiftOfKinds { subjects: vec![subject], lifted })),
        }
    }
    found.into_iter().map(|(_, of)| of).collect()
}
