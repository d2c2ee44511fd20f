//! The rules in CEL of definitions, lifted to formulas.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::place_text;
pub use kvrules_lift::Confirmation;
use kvrules_lift::{definition_rules, lift_rule, show_formula};
use rayon::prelude::*;

/// Number of objects that a formula is confirmed on.
const OBJECTS: usize = 240;

/// A rule in CEL and its meaning.
#[derive(Clone, Debug)]
pub struct ExplainedRule {
    /// The name of its place, such as `spec.x-kubernetes-validations[0]`.
    pub name: String,
    /// The expression.
    pub rule: String,
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
    let name_of = |rule: &kvrules_lift::DefinitionRule| {
        let place = place_text(&rule.place);
        let separator = if place.is_empty() { "" } else { "." };
        format!("{place}{separator}x-kubernetes-validations[{}]", rule.index)
    };
    rules.retain(|rule| {
        wanted.is_none_or(|wanted| name_of(rule) == wanted || rule.source.rule.trim() == wanted)
    });
    let explain = |rule: &kvrules_lift::DefinitionRule| ExplainedRule {
        name: name_of(rule),
        rule: rule.source.rule.trim().to_owned(),
        meaning: lift_rule(rule, OBJECTS).map_err(|opaque| opaque.to_string()).map(|lifted| RuleMeaning {
            holds: show_formula(&lifted.formulas.holds),
            fails: show_formula(&lifted.formulas.fails),
            confirmation: lifted.confirmation,
        }),
    };
    rules.par_iter().map(explain).collect()
}
