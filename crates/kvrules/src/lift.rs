//! The rules in CEL of definitions and policies, lifted to formulas.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::policy::{Policy, PolicyExpression};
pub use kvrules_lift::Confirmation;
use kvrules_lift::{
    DefinitionRule, LiftOfKinds, LiftedExpression, definition_rules, lift_for_kinds, lift_rule, show_formula,
};
use kvrules_sources::crd::{ResourceText, policy_subjects};
use rayon::prelude::*;

/// Number of objects that a formula is confirmed on.
const OBJECTS: usize = 240;

/// A rule in CEL and its meaning.
#[derive(Clone, Debug)]
pub struct ExplainedRule {
    /// The name of its place, such as `spec.x-kubernetes-validations[0]`, or the name in a RuleSet.
    pub name: String,
    /// The expression.
    pub rule: String,
    /// The kinds of objects that it is explained for; empty for a rule of a definition.
    pub kinds: Vec<String>,
    /// Its meaning, or the reason why it has no formula.
    pub meaning: Result<RuleMeaning, String>,
}

/// The meaning of a rule in sentences.
#[derive(Clone, Debug)]
pub struct RuleMeaning {
    /// Condition under which it is true.
    pub holds: String,
    /// Condition under which it is false.
    pub fails: String,
    /// The objects on which both agree with the server.
    pub confirmation: Confirmation,
}

/// Explains the rules of a version that have this name or this text; all of them without one.
///
/// ```
/// use kvrules::lift::explain_rules;
/// use serde_json::json;
///
/// let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"n": {
///     "type": "integer", "x-kubernetes-validations": [{"rule": "self > 3"}],
/// }}}});
/// let definition = json!({"spec": {"group": "a.io", "names": {"kind": "A"}, "versions": [{"name": "v1", "schema": schema}]}});
/// let version = &kvrules::ResourceVersion::of_definition(&definition)[0];
/// let rules = explain_rules(version, None);
/// assert_eq!(rules[0].name, "n.x-kubernetes-validations[0]");
/// assert_eq!(rules[0].meaning.as_ref().unwrap().fails, "self <= 3");
/// ```
pub fn explain_rules(version: &ResourceVersion, wanted: Option<&str>) -> Vec<ExplainedRule> {
    let mut rules = definition_rules(&version.schema);
    let name_of = |rule: &DefinitionRule| version.shown_rule_name(&rule.name_by_place()).to_owned();
    rules.retain(|rule| {
        wanted.is_none_or(|wanted| name_of(rule) == wanted || rule.source.rule.trim() == wanted)
    });
    let explain = |rule: &DefinitionRule| ExplainedRule {
        name: name_of(rule),
        rule: rule.source.rule.trim().to_owned(),
        kinds: Vec::new(),
        meaning: lift_rule(rule, OBJECTS)
            .map_err(|opaque| opaque.to_string())
            .map(|lifted| RuleMeaning::new(&lifted.formulas, lifted.confirmation)),
    };
    rules.par_iter().map(explain).collect()
}

impl RuleMeaning {
    fn new(formulas: &LiftedExpression, confirmation: Confirmation) -> Self {
        Self { holds: show_formula(&formulas.holds), fails: show_formula(&formulas.fails), confirmation }
    }
}

/// Explains the match conditions and validations of a policy that have this name or this text; all of them without one. An
/// expression is explained for each kind of objects that the policy matches: built-in kinds, and those of the definitions among the
/// resources.
///
/// ```
/// use kvrules::crd::read_policies;
/// use kvrules::lift::explain_policy;
/// use kvrules::{FileId, SourceFile};
///
/// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    \
///     resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]\n  \
///     validations: [{expression: object.spec.replicas < 5}]\n";
/// let policies = read_policies(&SourceFile::new(FileId(0), "policy.yaml", text));
/// let explained = explain_policy(&policies[0], &policies, None);
/// assert_eq!(explained[0].name, "spec.validations[0].expression");
/// assert_eq!(explained[0].kinds, ["Deployment"]);
/// assert_eq!(explained[0].meaning.as_ref().unwrap().fails, "object.spec.replicas >= 5");
/// ```
pub fn explain_policy(
    policy: &ResourceText,
    resources: &[ResourceText],
    wanted: Option<&str>,
) -> Vec<ExplainedRule> {
    let document = &policy.value;
    let subjects = policy_subjects(policy, resources);
    let policy = Policy::from_json(document);
    let text_of = |expression: PolicyExpression| {
        policy.expression_source(expression).map_or_else(String::new, |source| source.text.trim().to_owned())
    };
    let is_wanted = |expression: &PolicyExpression| {
        wanted.is_none_or(|wanted| expression.field() == wanted || text_of(*expression) == wanted)
    };
    let explain = |expression: PolicyExpression| {
        let explained = |kinds: Vec<String>, meaning: Result<RuleMeaning, String>| ExplainedRule {
            name: expression.field(),
            rule: text_of(expression),
            kinds,
            meaning,
        };
        if subjects.is_empty() {
            let cause = "the policy matches objects of kinds that are not known";
            return vec![explained(Vec::new(), Err(cause.to_owned()))];
        }
        let of_kinds = |it: LiftOfKinds<'_>| {
            let kinds = it.subjects.iter().map(|subject| subject.kind.clone()).collect();
            let meaning = it.lifted.map_err(|opaque| opaque.to_string());
            explained(kinds, meaning.map(|lifted| RuleMeaning::new(&lifted.formulas, lifted.confirmation)))
        };
        let lifted = lift_for_kinds(document, &policy, &subjects, expression, OBJECTS);
        lifted.into_iter().map(of_kinds).collect()
    };
    let expressions: Vec<_> = policy.truth_expressions().into_iter().filter(is_wanted).collect();
    expressions.into_par_iter().flat_map_iter(explain).collect()
}
