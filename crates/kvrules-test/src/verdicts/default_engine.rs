//! The engine that objects are evaluated with if none is named.

use kvrules_ir::Subject;
use kvrules_rule_set::RuleSet;
use kvrules_sources::{FileContents, UnitEngine};

use crate::verdicts::Engine;

/// The rules that a run evaluates objects against.
#[derive(Clone, Debug)]
pub enum EvaluationRules<'a> {
    /// Contents of files of rules, and the RuleSets in them.
    Given(&'a [FileContents], &'a [RuleSet]),
    /// The kinds that definitions declare; objects of other runs have rules of their own.
    Defined {
        /// The kinds.
        kinds: &'a [String],
        /// True if the stored objects are known that the objects replace.
        is_update: bool,
    },
}

impl EvaluationRules<'_> {
    /// Returns the engine that evaluates objects against them.
    ///
    /// ```
    /// use kvrules::eval::{Engine, EvaluationRules};
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n";
    /// let contents = detect_contents(&SourceFile::new(FileId(0), "policy.yaml", text));
    /// assert_eq!(EvaluationRules::Given(&[contents], &[]).default_engine(), Engine::Policy);
    /// // Definitions say what is valid, except of objects that carry rules.
    /// let engine = |kind: &str| {
    ///     EvaluationRules::Defined { kinds: &[kind.to_owned()], is_update: false }.default_engine()
    /// };
    /// assert_eq!((engine("Pond"), engine("VirtualMachine")), (Engine::Crd, Engine::Spec));
    /// ```
    pub fn default_engine(&self) -> Engine {
        match self {
            Self::Given(_, sets) if has_only_documents(sets) => Engine::Spec,
            Self::Given(contents, _) if contents.iter().any(is_for_admission) => Engine::Policy,
            Self::Defined { kinds, is_update } if are_defined(kinds, *is_update) => Engine::Crd,
            Self::Given(..) | Self::Defined { .. } => Engine::Spec,
        }
    }
}

/// True if RuleSets are about documents of schemas, which no server receives.
fn has_only_documents(sets: &[RuleSet]) -> bool {
    !sets.is_empty() && sets.iter().all(|set| set.subject.is_of_documents())
}

fn is_for_admission(contents: &FileContents) -> bool {
    contents.is_evaluated_by(&[UnitEngine::Admission, UnitEngine::CompiledAdmission])
}

/// True if the server's answer is asked for: no kind carries rules, or objects replace others, which such rules know nothing of.
fn are_defined(kinds: &[String], is_update: bool) -> bool {
    let machine = &Subject::virtual_machine().kind;
    !kinds.is_empty() && (is_update || !kinds.iter().any(|kind| machine.as_ref() == Some(kind)))
}
