//! Enforcement of rules: their CEL, and the fidelity that each target claims.

use std::collections::HashMap;

use kvrules_diagnostics::Exactness;
use kvrules_emit::cel::{Dialect, Expr, lower_predicate};
use kvrules_emit::{EMITTERS, EmitError, Fidelity, Request};
use kvrules_ir::{ElaboratedRule, Severity, Subject};
use kvrules_pages::Text;
use kvrules_pages::document::{CelRule, FidelityGroup, TargetFidelity};
use rayon::prelude::*;

/// Lines of CEL are broken here where they can be.
const WIDTH: usize = 80;

/// Fidelity that each target claims for each rule, in the order of the sets.
pub(crate) struct FidelityClaims(Vec<(&'static str, Vec<Fidelity>)>);

impl FidelityClaims {
    /// Returns the claims of every target that evaluates objects for the rules of a request.
    pub(crate) fn of(request: &Request<'_>) -> Result<Self, EmitError> {
        let targets: Vec<_> = EMITTERS.iter().filter(|target| target.enforces_rules()).collect();
        // A target that the schema does not support enforces nothing.
        let targets: Vec<_> =
            targets.into_iter().filter(|target| target.unavailable_reason(request).is_none()).collect();
        let claims = targets.par_iter().map(|target| {
            let emission = target.emit_rule_sets(request)?;
            Ok((target.name, emission.fidelity.into_iter().map(|rule| rule.fidelity).collect()))
        });
        Ok(Self(claims.collect::<Result<_, EmitError>>()?))
    }

    /// The claims of the rule with this number among all rules of all sets.
    pub(crate) fn rule(&self, number: usize) -> Vec<TargetFidelity> {
        let claim = |(target, claims): &(&'static str, Vec<Fidelity>)| {
            let claim = claims.get(number)?;
            Some(TargetFidelity {
                target: (*target).to_owned(),
                fidelity: claim.exactness(),
                cause: claim.cause().map(Text::of_sentence),
            })
        };
        self.0.iter().filter_map(claim).collect()
    }
}

/// Groups of targets with the same fidelity for a rule, the exact ones first.
pub(crate) fn said_by(claims: &[TargetFidelity]) -> Vec<FidelityGroup> {
    let mut groups: Vec<FidelityGroup> = Vec::new();
    for fidelity in Exactness::ALL {
        let label = fidelity_label(fidelity);
        for claim in claims.iter().filter(|claim| claim.fidelity == fidelity) {
            let alike = |group: &&mut FidelityGroup| group.label == label && group.cause == claim.cause;
            match groups.iter_mut().find(alike) {
                Some(group) => group.targets.push(claim.target.clone()),
                None => groups.push(FidelityGroup {
                    label: label.clone(),
                    targets: vec![claim.target.clone()],
                    cause: claim.cause.clone(),
                }),
            }
        }
    }
    groups
}

/// Returns the label of the targets of a fidelity, such as `Exact in`.
fn fidelity_label(fidelity: Exactness) -> String {
    let mut letters = fidelity.as_str().chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(" in".chars()).collect()
}

/// The CEL of rules, each distinct one lowered once.
pub(crate) struct CelCache<'a> {
    subject: &'a Subject,
    known: HashMap<&'a ElaboratedRule, Vec<CelRule>>,
}

impl<'a> CelCache<'a> {
    pub(crate) fn about(subject: &'a Subject) -> Self {
        Self { subject, known: HashMap::new() }
    }

    /// The CEL of a rule: as a definition has it where it rejects, as a policy has it where it only warns.
    pub(crate) fn rule(&mut self, rule: &'a ElaboratedRule) -> Vec<CelRule> {
        let subject = self.subject;
        self.known.entry(rule).or_insert_with(|| lower_rule(rule, subject).into_iter().collect()).clone()
    }
}

fn lower_rule(rule: &ElaboratedRule, subject: &Subject) -> Option<CelRule> {
    let schema = if subject.is_virtual_machine() {
        Dialect::VIRTUAL_MACHINE_SCHEMA
    } else {
        Dialect { hidden: &[], ..Dialect::VIRTUAL_MACHINE_SCHEMA }
    };
    let dialects = [("cel", schema), ("admission-policy", Dialect::ADMISSION_POLICY)];
    // A definition cannot warn.
    let only_policy = usize::from(rule.severity == Severity::Warning);
    dialects.into_iter().skip(only_policy).find_map(|(target, dialect)| {
        let lowered = lower_predicate(&rule.predicate, dialect).ok()?;
        let is_empty = lowered.expression == Expr::Bool(true);
        (!is_empty)
            .then(|| CelRule { target: target.to_owned(), rule: lowered.expression.to_fitting_text(WIDTH) })
    })
}
