//! Equivalence of a rule and its mutant, proved on formulas.

use kvrules_ir::Formula;
use kvrules_lift::{DefinitionRule, LiftedExpression, RuleTiming, is_implied, lift_rule};

/// Number of objects that a formula is confirmed on.
const OBJECTS: usize = 60;

/// The relation of a rule and its mutant.
#[derive(Clone, Debug)]
pub(super) enum Equivalence {
    /// Both give the same answer for every object that the schema accepts.
    Proved,
    /// They may differ; the formulas of both.
    Open(Box<LiftedExpression>),
    /// One of them has no formula.
    Undecided,
}

/// Compares the writes that a rule and its mutant let pass. An error rejects as a rule that is false does, so only where they hold counts.
pub(super) fn compare_rules(rule: &DefinitionRule, mutant: &DefinitionRule) -> Equivalence {
    let (Ok(own), Ok(other)) = (lift_rule(rule, OBJECTS), lift_rule(mutant, OBJECTS)) else {
        return Equivalence::Undecided;
    };
    let passes =
        |rule: &DefinitionRule, holds: &Formula| RuleTiming::of_rule(rule).passing_condition(holds.clone());
    let (own_passes, other_passes) =
        (passes(rule, &own.formulas.holds), passes(mutant, &other.formulas.holds));
    let implies = |one: &Formula, two: &Formula| is_implied(&[one], two, &rule.schema);
    if implies(&own_passes, &other_passes) && implies(&other_passes, &own_passes) {
        return Equivalence::Proved;
    }
    let both = LiftedExpression {
        holds: Formula::any_of([own_passes, other_passes]),
        fails: Formula::any_of([own.formulas.fails, other.formulas.fails]),
    };
    Equivalence::Open(Box::new(both))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use kvrules_lift::definition_rules;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_about_updates_differs_from_one_about_creations_too() {
        let flag = json!({"type": "boolean"});
        let rule = |text: &str| {
            let schema = json!({"type": "object", "properties": {"e": flag}, "required": ["e"],
                "x-kubernetes-validations": [{"rule": text}]});
            definition_rules(&schema).remove(0)
        };
        let is_proved = |own, other| matches!(compare_rules(&rule(own), &rule(other)), Equivalence::Proved);
        assert!(is_proved("(self.e || !oldSelf.e) && self.e", "self.e && (self.e || !oldSelf.e)"));
        assert!(!is_proved("(self.e || !oldSelf.e) && self.e", "self.e"));
        assert!(!is_proved("self.e", "(self.e || !oldSelf.e) && self.e"));
        assert!(is_proved("self.e || !self.e || oldSelf.e", "self.e || !self.e"));
    }

    #[test]
    fn loops_of_two_rules_are_not_the_same_loop() {
        let texts = json!({"image": {"type": "string"}, "name": {"type": "string"}});
        let list = json!({"type": "array", "items": {"type": "object", "properties": texts}});
        let rule = |text: &str| {
            let schema = json!({"type": "object", "properties": {"list": list},
                "x-kubernetes-validations": [{"rule": text}]});
            definition_rules(&schema).remove(0)
        };
        let own = rule("!has(self.list) || self.list.all(i, !has(i.image) || i.image.matches('^a'))");
        let compare = |text: &str| compare_rules(&own, &rule(text));
        for other in [
            "!has(self.list) || self.list.all(i, !has(i.image) || i.image.matches('a'))",
            "!has(self.list) || self.list.all(i, !has(i.name) || i.name.matches('^a'))",
        ] {
            assert!(matches!(compare(other), Equivalence::Open(_)), "{other}");
        }
        let renamed = "!has(self.list) || self.list.all(k, !(has(k.image) && !k.image.matches('^a')))";
        assert!(matches!(compare(renamed), Equivalence::Proved));
    }
}
