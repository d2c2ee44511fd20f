//! Explanation of a verdict, for people.

mod find;
mod reason;

use kvrules_ir::{ElaboratedRule, ValueTest};
use serde_json::Value;

use crate::interpret::Interpreter;
use crate::patterns::{CompiledPatterns, PatternError};
use crate::program::{Outcome, Program, Verdict};

/// Explanation of the verdict of a rule on an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// Values that the guard found; `None` if the rule has no guard.
    pub guard: Option<Vec<LocatedValue>>,
    /// The values that the rule evaluates.
    pub values: Vec<EvaluatedValue>,
    /// Reason in a sentence; if several values fail, that of the first.
    pub reason: String,
}

/// A value, and where it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedValue {
    /// Its location, as a path: `.spec.template.spec.domain.devices.disks[2].disk.bus`.
    pub location: String,
    /// The value.
    pub value: Value,
    /// Source of the value.
    pub origin: ValueOrigin,
}

/// Source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueOrigin {
    /// The object spells it out.
    Object,
    /// It is the default of the field.
    Default,
    /// The field has no default, so it has the zero value of its type.
    Zero,
}

/// A value that a rule evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedValue {
    /// The value.
    pub finding: LocatedValue,
    /// For each test of the rule's requirement, in their order: why the value fails it, or `None` when it passes.
    pub failures: Vec<Option<String>>,
}

impl ValueOrigin {
    /// Returns its name as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Default => "default",
            Self::Zero => "zero",
        }
    }
}

impl EvaluatedValue {
    /// True if the value passes every test.
    pub fn passes_tests(&self) -> bool {
        self.failures.iter().all(Option::is_none)
    }
}

/// Explains the verdict of a rule on an object. This fails where [`Program::new`] does.
///
/// It prepares the rule again each time; an [`Explainer`] does so once.
pub fn explain_rule(rule: &ElaboratedRule, object: &Value) -> Result<Explanation, PatternError> {
    Explainer::new(rule).map(|explainer| explainer.explain_object(object))
}

/// A rule, ready to have its verdicts on many objects explained.
#[derive(Clone, Debug)]
pub struct Explainer<'r> {
    rule: &'r ElaboratedRule,
    program: Program,
    patterns: CompiledPatterns,
}

impl<'r> Explainer<'r> {
    /// Prepares a rule. This fails where [`Program::new`] does.
    pub fn new(rule: &'r ElaboratedRule) -> Result<Self, PatternError> {
        let mut patterns = CompiledPatterns::default();
        for test in &rule.requirement.tests {
            if let ValueTest::Matches(pattern) = test {
                patterns.add_pattern(pattern)?;
            }
        }
        Ok(Self { rule, program: Program::new(rule)?, patterns })
    }

    /// The verdict on an object, and the values that the rule evaluates with `true` for those that pass every test. There are no
    /// reasons, which are as long as the rule's list of values.
    pub fn evaluate_values(&self, object: &Value) -> (Verdict, Vec<(LocatedValue, bool)>) {
        let interpreter = Interpreter { patterns: &self.patterns };
        let mut values = Vec::new();
        find::visit_values(&self.rule.requirement.subject, object, &mut |location, datum| {
            let passes = self.rule.requirement.tests.iter().all(|test| interpreter.passes_test(datum, test));
            values.push((find::to_located_value(location, datum), passes));
        });
        (self.program.evaluate_object(object), values)
    }

    /// Explains the verdict on an object.
    pub fn explain_object(&self, object: &Value) -> Explanation {
        let (verdict, requirement) = (self.program.evaluate_object(object), &self.rule.requirement);
        let interpreter = Interpreter { patterns: &self.patterns };
        let mut values = Vec::new();
        find::visit_values(&requirement.subject, object, &mut |location, datum| {
            let failure =
                |test| (!interpreter.passes_test(datum, test)).then(|| reason::of_failure(datum, test));
            let failures = requirement.tests.iter().map(failure).collect();
            values.push(EvaluatedValue { finding: find::to_located_value(location, datum), failures });
        });
        let guard = requirement.guard.as_ref().map(|guard| {
            let mut findings = Vec::new();
            find::visit_values(guard, object, &mut |location, datum| {
                findings.push(find::to_located_value(location, datum));
            });
            findings
        });
        let reason = outcome_reason(self.rule, verdict.outcome, &values);
        Explanation { verdict, guard, values, reason }
    }
}

/// Returns the reason for the outcome of an object.
fn outcome_reason(rule: &ElaboratedRule, outcome: Outcome, values: &[EvaluatedValue]) -> String {
    let requirement = &rule.requirement;
    let failure = values.iter().find_map(|evaluated| evaluated.failures.iter().flatten().next());
    match (outcome, failure) {
        (Outcome::Skipped, _) => match &requirement.guard {
            Some(guard) => format!("the guard `{}` finds nothing", guard.text),
            None => "the rule does not apply".to_owned(),
        },
        (Outcome::Satisfied, _) => "every value passes".to_owned(),
        (Outcome::Violated, _) if values.is_empty() => "the value is missing".to_owned(),
        (Outcome::Violated, Some(failure)) => failure.clone(),
        (Outcome::Violated, None) => {
            let paths: Vec<_> = requirement.compared_with.iter().map(|path| format!("`{path}`")).collect();
            format!("the comparison with {} fails", paths.join(" and "))
        }
    }
}
