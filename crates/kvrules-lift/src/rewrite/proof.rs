//! The proof that two rules say the same.

use crate::{DefinitionRule, LiftedExpression, RuleTiming, confirm_rule, is_implied, lift_expression};
use kvrules_apiserver::crd::RuleSource;

use crate::rewrite::formats::expand_formats;

/// Number of values on which the server's evaluation is compared too.
const VALUES: usize = 60;

/// A rule with its formulas.
pub(crate) struct ProvableRule<'r> {
    pub(crate) rule: &'r DefinitionRule<'r>,
    lifted: LiftedExpression,
    /// The formulas with patterns in place of formats.
    expanded: LiftedExpression,
}

impl<'r> ProvableRule<'r> {
    /// Lifts a rule; `None` if it has no formula.
    pub(crate) fn new(rule: &'r DefinitionRule) -> Option<Self> {
        let lifted = lift_rule(rule)?;
        let expanded = expand_rule(&lifted);
        Some(Self { rule, lifted, expanded })
    }

    /// True if a text is proved to be true and false for the same values, and is on those that are tried.
    pub(crate) fn says_same(&self, text: &str) -> bool {
        let source = RuleSource { rule: text.to_owned(), ..self.rule.source.clone() };
        let other = DefinitionRule { source, ..self.rule.clone() };
        self.is_proved(&other) && self.is_confirmed(&other)
    }

    fn is_proved(&self, other: &DefinitionRule) -> bool {
        let timing = RuleTiming::of_rule(self.rule);
        // A text that no longer names `oldSelf` runs in creates too.
        if RuleTiming::of_rule(other) != timing {
            return false;
        }
        let Some(other) = lift_rule(other).as_ref().map(expand_rule) else { return false };
        if other == self.expanded {
            return true;
        }
        let schema = &self.rule.schema;
        let exists = timing.premise();
        let implies = |one, other| is_implied(&[one, &exists], other, schema);
        implies(&self.expanded.holds, &other.holds)
            && implies(&other.holds, &self.expanded.holds)
            && implies(&self.expanded.fails, &other.fails)
            && implies(&other.fails, &self.expanded.fails)
    }

    /// True if the server evaluates a rule as these formulas say.
    fn is_confirmed(&self, other: &DefinitionRule) -> bool {
        let Ok((expression, _)) = other.check_types() else { return false };
        confirm_rule(other, &expression, &self.lifted, VALUES).contradiction.is_none()
    }
}

/// True if a rule with another text is proved to be true and false for the same values.
///
/// ```
/// use kvrules_lift::definition_rules;
/// use kvrules_lift::rewrite::says_same;
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self.?n.orValue(1) == 1"}]);
/// let n = json!({"type": "integer"});
/// let rules = definition_rules(&json!({"type": "object", "properties": {"n": n}, "x-kubernetes-validations": rules}));
/// assert!(says_same(&rules[0], "has(self.n) ? self.n == 1 : true"));
/// assert!(!says_same(&rules[0], "self.n == 1"));
/// ```
pub fn says_same(rule: &DefinitionRule, text: &str) -> bool {
    ProvableRule::new(rule).is_some_and(|rule| rule.says_same(text))
}

fn lift_rule(rule: &DefinitionRule) -> Option<LiftedExpression> {
    let (expression, checked) = rule.check_types().ok()?;
    let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
    lift_expression(&expression, &checked, optional).ok()
}

fn expand_rule(lifted: &LiftedExpression) -> LiftedExpression {
    LiftedExpression { holds: expand_formats(&lifted.holds), fails: expand_formats(&lifted.fails) }
}
