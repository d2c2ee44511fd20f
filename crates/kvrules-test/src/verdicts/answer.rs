//! Answers about an object, in the shape in which `--output-format json` prints them.

use kvrules_diagnostics::Position;
use kvrules_eval::{EvaluatedValue, Explanation, LocatedValue, Outcome};
use kvrules_ir::{ElaboratedRule, Severity};
use kvrules_template_validator::ValidatorAnswer as SspAnswer;
use serde::Serialize;
use serde_json::Value;

use super::crd::{CrdAnswer, CrdVerdict};
use super::policy::{AdmissionAnswer, AdmissionVerdict};
use super::rules::UnsoundRules;

/// Result for one object.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Its name, or its template's and its own: `template/vm`.
    pub name: Option<String>,
    /// Position in its text.
    pub at: Position,
    /// Answer of its rules, by their meaning.
    pub spec: Option<SpecAnswer>,
    /// Answer of the deployed validator.
    pub ssp: Option<SspAnswer>,
    /// Answer of an API server.
    pub crd: Option<CrdAnswer>,
    /// Answer of the policies.
    pub policy: Option<AdmissionAnswer>,
    /// Differences between the two engines, rule by rule, if both were used.
    pub differences: Vec<RuleDifference>,
    /// The reason why an engine that was used has no answer.
    pub fault: Option<EvaluationFault>,
}

/// The reason why something cannot be evaluated.
#[derive(Clone, Debug)]
pub struct EvaluationFault {
    /// Position, in the text of the objects.
    pub at: Position,
    /// The reason, in a sentence.
    pub message: String,
    /// True if the object is of a kind that rules do not look at.
    pub is_other_kind: bool,
    /// The findings in the rules, if it is they.
    pub unsound: Option<UnsoundRules>,
}

/// One place where the two engines differ about an object.
#[derive(Clone, Debug, Serialize)]
pub struct RuleDifference {
    /// The rule's name; none if the deployed validator came to evaluate no rule, for it refused to decode or crashed.
    pub rule: Option<String>,
    /// Result by its meaning: `satisfied`, `violated`, `skipped`, or `left out`; of the whole, the verdict.
    pub spec: String,
    /// Result of the deployed validator: `satisfied`, `unsatisfied`, `skipped`, or `error: …`; of the whole, `object
    /// rejected: …`, `rules rejected: …`, or `crash: …`.
    pub ssp: String,
    /// The named differences that explain it. Empty if none does.
    pub named: Vec<NamedDifference>,
}

/// A difference that has a name and a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NamedDifference {
    /// Such as `D1`.
    pub id: &'static str,
    /// Its name in words joined by dashes.
    pub name: &'static str,
    /// Description of the difference, in one sentence.
    pub summary: &'static str,
}

/// Answer of rules about an object, by their meaning.
#[derive(Clone, Debug, Serialize)]
pub struct SpecAnswer {
    /// All in all.
    pub verdict: SpecVerdict,
    /// Rule by rule, in their order.
    pub rules: Vec<RuleAnswer>,
}

/// Verdict of the rules on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpecVerdict {
    /// It satisfies them.
    Satisfied,
    /// It violates rules that only warn.
    Warned,
    /// It violates a rule that rejects.
    Rejected,
}

/// Answer of one rule about an object.
#[derive(Clone, Debug, Serialize)]
pub struct RuleAnswer {
    /// The rule's name.
    pub name: String,
    /// `satisfied`, `violated`, `skipped`, or `not evaluated`.
    pub outcome: &'static str,
    /// `error` or `warning`; none of a rule that is not evaluated.
    pub severity: Option<&'static str>,
    /// Message for the user who violates the rule.
    pub message: String,
    /// Reason of the outcome; present for rules that are violated or not evaluated, and for all in a trace.
    pub reason: Option<String>,
    /// The values that the guard found, in a trace.
    pub guard: Option<Vec<FoundValue>>,
    /// The values that were evaluated: those that fail, or all in a trace.
    pub values: Vec<FoundValue>,
}

/// A value, and where it was found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundValue {
    /// Its place, as a path from the VirtualMachine.
    pub location: String,
    /// The value.
    pub value: Value,
    /// Source of the value: `object`, `default` or `zero`.
    pub origin: &'static str,
    /// Reasons why it fails; empty if it passes.
    pub failures: Vec<String>,
}

impl Evaluation {
    /// True if an engine rejects the object.
    ///
    /// ```
    /// use kvrules::eval::{Engine, Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "memory", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.memory.guest", "min": 1}]
    /// "#;
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {memory: {guest: 1.5Gi}}}}}\n";
    /// let is_rejected = |engine| {
    ///     let mut evaluator = Evaluator::new(Options { engine, ..Options::default() });
    ///     evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None).unwrap();
    ///     evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vm.yaml", vm))[0].is_rejected()
    /// };
    /// assert!(!is_rejected(Engine::Spec));
    /// assert!(is_rejected(Engine::Ssp), "the deployed validator does not read fractions");
    /// ```
    pub fn is_rejected(&self) -> bool {
        let spec = self.spec.as_ref().is_some_and(|spec| spec.verdict == SpecVerdict::Rejected);
        let crd = self.crd.as_ref().is_some_and(|answer| answer.verdict == CrdVerdict::Rejected);
        let policy = self.policy.as_ref().is_some_and(|answer| answer.verdict == AdmissionVerdict::Rejected);
        spec || crd || policy || self.ssp.as_ref().is_some_and(|answer| !answer.is_allowed())
    }

    /// True if both engines answered, and one rejects the object while the other accepts it.
    ///
    /// ```
    /// use kvrules::eval::{Engine, Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "memory", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.memory.guest", "min": 1}]
    /// "#;
    /// let vms = "
    /// kind: List
    /// items:
    /// - {kind: VirtualMachine, metadata: {name: a}, spec: {template: {spec: {domain: {memory: {guest: 1.5Gi}}}}}}
    /// - {kind: VirtualMachine, metadata: {name: b}, spec: {template: {spec: {domain: {memory: {guest: 1536Mi}}}}}}
    /// ";
    /// let mut evaluator = Evaluator::new(Options { engine: Engine::Both, ..Options::default() });
    /// evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None)?;
    /// let results = evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vms.yaml", vms));
    /// assert!(results[0].has_engine_difference() && !results[1].has_engine_difference());
    /// assert_eq!(results[0].differences[0].named[0].id, "D1");
    /// # Ok::<(), String>(())
    /// ```
    pub fn has_engine_difference(&self) -> bool {
        let (Some(spec), Some(ssp)) = (&self.spec, &self.ssp) else { return false };
        (spec.verdict == SpecVerdict::Rejected) == ssp.is_allowed()
    }

    /// True if the object or one of its rules could not be evaluated.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
    /// "#;
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
    /// let vm = SourceFile::new(FileId(0), "vm.yaml", vm);
    /// let mut evaluator = Evaluator::new(Options::default());
    /// assert!(evaluator.evaluate_objects(&vm)[0].is_incomplete(), "without rules");
    /// evaluator.use_rules(&SourceFile::new(FileId(1), "rules.yaml", rules), None)?;
    /// assert!(!evaluator.evaluate_objects(&vm)[0].is_incomplete());
    /// # Ok::<(), String>(())
    /// ```
    pub fn is_incomplete(&self) -> bool {
        let not_evaluated = |spec: &SpecAnswer| spec.rules.iter().any(RuleAnswer::is_unevaluated);
        self.fault.is_some() || self.spec.as_ref().is_some_and(not_evaluated)
    }
}

impl SpecVerdict {
    /// Returns its name for users.
    ///
    /// ```
    /// assert_eq!(kvrules::eval::SpecVerdict::Warned.as_str(), "warned");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Warned => "warned",
            Self::Rejected => "rejected",
        }
    }
}

impl RuleAnswer {
    /// True if the rule could not be evaluated, because it cannot be compiled.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 8},
    ///    {"name": "bus", "rule": "enum", "message": "m", "path": "jsonpath::..bus", "values": ["virtio"]}]
    /// "#;
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
    /// let mut evaluator = Evaluator::new(Options::default());
    /// evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None)?;
    /// let answer = evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vm.yaml", vm)).remove(0).spec.unwrap();
    /// assert_eq!(answer.rules.iter().map(|rule| rule.is_unevaluated()).collect::<Vec<_>>(), [false, true]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn is_unevaluated(&self) -> bool {
        self.outcome == "not evaluated"
    }

    /// True if the object violates the rule.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "few", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "min": 1},
    ///    {"name": "many", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
    /// "#;
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
    /// let mut evaluator = Evaluator::new(Options::default());
    /// evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None)?;
    /// let answer = evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vm.yaml", vm)).remove(0).spec.unwrap();
    /// let violated: Vec<_> = answer.rules.iter().filter(|rule| rule.is_violated()).map(|rule| &rule.name).collect();
    /// assert_eq!(violated, ["many"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn is_violated(&self) -> bool {
        self.outcome == Outcome::Violated.as_str()
    }

    pub(super) fn not_evaluated(name: &str, cause: String) -> Self {
        Self {
            name: name.to_owned(),
            outcome: "not evaluated",
            severity: None,
            message: String::new(),
            reason: Some(cause),
            guard: None,
            values: Vec::new(),
        }
    }

    /// The answer of a rule that consumers ignore, since they do not know its kind.
    // Template validation annotations 201902, Validation rules
    pub(super) fn ignored(name: &str, cause: String) -> Self {
        Self { outcome: Outcome::Skipped.as_str(), ..Self::not_evaluated(name, cause) }
    }

    /// Creates the answer of a rule; its explanation only if the rule is violated or to be traced.
    pub(super) fn new(
        rule: &ElaboratedRule,
        outcome: Outcome,
        explanation: Option<Explanation>,
        trace: bool,
    ) -> Self {
        let (reason, guard, values) = match explanation {
            None => (None, None, Vec::new()),
            Some(Explanation { reason, guard, values, .. }) => (Some(reason), guard, values),
        };
        let guard = guard.filter(|_| trace);
        let shown = values.into_iter().filter(|evaluated| trace || !evaluated.passes_tests());
        Self {
            name: rule.name.clone(),
            outcome: outcome.as_str(),
            severity: Some(severity_name(rule.severity)),
            message: rule.message.clone(),
            reason,
            guard: guard
                .map(|found| found.into_iter().map(|found| FoundValue::new(found, Vec::new())).collect()),
            values: shown.map(FoundValue::from_evaluated).collect(),
        }
    }
}

impl FoundValue {
    fn new(finding: LocatedValue, failures: Vec<String>) -> Self {
        let LocatedValue { location, value, origin } = finding;
        Self { location, value, origin: origin.as_str(), failures }
    }

    fn from_evaluated(evaluated: EvaluatedValue) -> Self {
        Self::new(evaluated.finding, evaluated.failures.into_iter().flatten().collect())
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
