//! Evaluates rules on a VirtualMachine.

mod kinds;
mod read;
mod resolve;

use std::collections::HashSet;

use crate::answer::{DenialCause, RuleStatus, ValidatorAnswer};
use crate::machine::Machine;
use crate::rules::{Rule, Rules};
use crate::walk::NIL;

/// Reason why a rule has no result.
#[derive(Debug, PartialEq, Eq)]
enum RuleFault {
    /// The rule is in error, and the others go on.
    Error(String),
    /// Evaluation is at an end, and nothing is reported of any rule.
    Panic(&'static str),
}

impl From<&str> for RuleFault {
    fn from(text: &str) -> Self {
        Self::Error(text.to_owned())
    }
}

/// Outcome of a rule that is sound.
enum RuleOutcome {
    Skipped,
    Applied { satisfied: bool, message: String },
}

impl Rules {
    /// Evaluates a VirtualMachine.
    ///
    /// ```
    /// use kvrules_template_validator::{Machine, Rules};
    ///
    /// let rules = r#"[{"name": "r", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"}]"#;
    /// let machine = r#"{"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}}"#;
    /// let answer = Rules::decode_annotation(rules).unwrap().evaluate_machine(&Machine::decode_json(machine).unwrap());
    /// assert_eq!(answer.status.unwrap()[0].message, "All values [2] are in interval [N/A, N/A]");
    /// ```
    // ssp-operator validation/eval.go, Evaluator.Evaluate.
    pub fn evaluate_machine(&self, machine: &Machine) -> ValidatorAnswer {
        // ssp-operator webhooks/admission.go: without rules ValidateVMTemplate returns (E340); otherwise setDefaultValues
        // dereferences the template before it looks at any rule (E341).
        if !self.rules.is_empty() && !machine.has_template() {
            return panic_answer(NIL);
        }
        let mut names = HashSet::new();
        let mut statuses = Vec::new();
        for rule in &self.rules {
            // A name counts as seen even if its rule was skipped or is in error (E201, E202).
            let outcome = if names.insert(rule.name.as_str()) {
                apply_rule(rule, machine)
            } else {
                Err("duplicate Rule Name".into())
            };
            match rule_status(rule, outcome) {
                Ok(status) => statuses.push(status),
                // A panic ends the request, so the results of earlier rules are lost too (E330).
                Err(panic) => return panic_answer(panic),
            }
        }
        self.build_answer(statuses)
    }

    fn build_answer(&self, statuses: Vec<RuleStatus>) -> ValidatorAnswer {
        // ssp-operator validation/eval.go, Result.Fail and Result.Applied: `justWarning` does not excuse an error (E344).
        let counts_against = |(rule, status): (&Rule, &RuleStatus)| {
            status.error.is_some() || !(status.skipped || status.satisfied || rule.just_warning)
        };
        let denied = self.rules.iter().zip(&statuses).any(counts_against);
        // When the VirtualMachine is denied, warnings are told among the causes (E343).
        // ssp-operator validation/eval.go, Result.ToStatusCauses: none if the VirtualMachine is allowed.
        let causes = self.rules.iter().zip(&statuses).filter(|_| denied);
        ValidatorAnswer {
            succeeded: Some(!denied),
            causes: Some(causes.filter_map(|(rule, status)| denial_cause(rule, status)).collect()),
            status: Some(statuses),
            ..ValidatorAnswer::default()
        }
    }
}

fn panic_answer(text: &str) -> ValidatorAnswer {
    ValidatorAnswer { panic: Some(text.to_owned()), ..ValidatorAnswer::default() }
}

fn rule_status(rule: &Rule, outcome: Result<RuleOutcome, RuleFault>) -> Result<RuleStatus, &'static str> {
    let status = RuleStatus { name: rule.name.clone(), ..RuleStatus::default() };
    Ok(match outcome {
        Err(RuleFault::Panic(panic)) => return Err(panic),
        Err(RuleFault::Error(error)) => RuleStatus { error: Some(error), ..status },
        Ok(RuleOutcome::Skipped) => RuleStatus { skipped: true, ..status },
        Ok(RuleOutcome::Applied { satisfied, message }) => RuleStatus { satisfied, message, ..status },
    })
}

// ssp-operator validation/eval.go, needsCause.
fn denial_cause(rule: &Rule, status: &RuleStatus) -> Option<DenialCause> {
    let detail = match &status.error {
        Some(error) => error,
        None if status.skipped || status.satisfied => return None,
        None => &status.message,
    };
    Some(DenialCause { field: rule.path.expression.clone(), message: format!("{}: {detail}", rule.message) })
}

/// The checks, in the order in which the validator makes them (SEMANTICS 10).
// ssp-operator validation/eval.go, validateRule; then Rule.IsAppliableOn, Rule.Specialize, and the kind's Apply.
fn apply_rule(rule: &Rule, machine: &Machine) -> Result<RuleOutcome, RuleFault> {
    let kind = kinds::kind(&rule.kind).ok_or("unrecognized Rule type")?;
    if rule.message.is_empty() {
        return Err("missing required key".into());
    }
    if let Some(valid) = &rule.valid
        && !resolve::finds(valid, machine)?
    {
        return Ok(RuleOutcome::Skipped);
    }
    let (satisfied, message) = kind(rule, machine)?;
    Ok(RuleOutcome::Applied { satisfied, message })
}
