//! A rule with its meaning decided.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kvrules_diagnostics::Origin;

use crate::{AnnotationDialect, OmissionCause, Place, Predicate, Rule, Severity, ValueTest};

/// A rule set with its meaning decided, and all who use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElaboratedSet {
    /// The name of the set: that of the first template that uses it.
    pub name: String,
    /// Audiences that use these rules, in the order of the sources.
    pub used_by: Vec<RuleSetUser>,
    /// The rules, in their order.
    pub rules: Vec<ElaboratedRule>,
    /// The rules that cannot be expressed as predicates. No target has them.
    pub left_out: Vec<OmittedRule>,
}

/// A rule whose meaning is not a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedRule {
    /// The rule's name.
    pub name: String,
    /// Cause for which it is left out.
    pub cause: OmissionCause,
    /// Known content of the rule.
    pub content: OmittedRuleContent,
    /// The rule.
    pub origin: Origin,
}

/// Known content of a rule that is left out: two with the same content mean the same, whatever that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OmittedRuleContent {
    /// The rule, which could be read.
    Rule(Arc<Rule>),
    /// Written form, with the values of the template's parameters put in.
    Text {
        /// Keys and values.
        keys: String,
        /// The message, which does not affect what the rule means; among the keys if it is not a plain text.
        message: Option<String>,
    },
    /// Nothing: it is too large, or a part of it is not JSON.
    Unknown,
}

/// A template (or a bare VM, or a bare annotation) that uses a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSetUser {
    /// Its name.
    pub name: String,
    /// The notation of its rules.
    pub dialect: AnnotationDialect,
    /// The annotation.
    pub origin: Origin,
}

/// A rule with its meaning decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElaboratedRule {
    /// Its name.
    pub name: String,
    /// Message for the user who violates it.
    pub message: String,
    /// Effect of a violation: an error rejects the object, a warning is only reported.
    pub severity: Severity,
    /// Condition under which the rule is not skipped.
    pub applies: Predicate,
    /// Condition under which the rule is skipped or satisfied. This is what enforcement means.
    pub predicate: Predicate,
    /// The values it evaluates and what each must pass, for those who explain.
    pub requirement: Requirement,
    /// The rule as its author wrote it.
    pub written: AuthoredRule,
    /// The rule.
    pub origin: Origin,
}

/// A rule before elaboration, for code that writes it again; `None` if the rule was not read from a file. Ignored by
/// equality: rules with the same meaning are equal.
#[derive(Clone, Debug, Default)]
pub struct AuthoredRule(pub Option<Arc<Rule>>);

impl PartialEq for AuthoredRule {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AuthoredRule {}

impl Hash for AuthoredRule {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The values that a rule evaluates, and what each must pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// Values that the rule is about.
    pub subject: Selector,
    /// Values that must be present for the rule to apply.
    pub guard: Option<Selector>,
    /// Tests that each value must pass: all of these; bounds that are paths are further comparisons.
    pub tests: Vec<ValueTest>,
    /// Paths in the object that take part in the comparison, as their author wrote them.
    pub compared_with: Vec<String>,
}

/// A resolved path: where it goes, list by list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    /// The path as its author wrote it, without prefix.
    pub text: String,
    /// Each list that the path runs through (`[*]`), the first seen from the root, each next from an element.
    pub lists: Vec<Place>,
    /// The values, seen from the root or from the innermost element.
    pub leaf: Place,
}
