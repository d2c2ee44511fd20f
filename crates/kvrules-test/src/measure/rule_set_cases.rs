//! Cases of a RuleSet that a mutant of one rule can matter to: all other rules decide about them as before.

use std::collections::HashSet;

use kvrules_rule_set::{AuthoredRule, RuleSet};
use serde_json::Value;

use super::mutants::Mutant;
use super::sites::MeasuredRules;
use crate::answer::CaseAnswer;
use crate::model::TestCase;

/// The cases of one RuleSet, each with what its rules say about it.
#[derive(Debug, Default)]
pub(super) struct RuleSetCases(Vec<Option<ReadCase>>);

/// The objects of a case as the rules see them.
#[derive(Debug)]
struct ReadCase {
    object: Value,
    stored: Option<Value>,
    violated: HashSet<String>,
}

impl RuleSetCases {
    /// Reads cases with their answers. Nothing is known of a case whose subject does not have the RuleSet.
    pub(super) fn new<'c>(
        rules: &MeasuredRules<'_>,
        cases: impl Iterator<Item = (&'c TestCase, &'c CaseAnswer)>,
    ) -> Self {
        let read = |(case, answer): (&TestCase, &CaseAnswer)| {
            let set = &case.subject.find_rule_set(&rules.origin, &rules.document)?.set;
            let (object, stored) = match &case.expected.example {
                Some(example) => (&example.object, example.stored.as_ref()),
                // A definition among the rules fills in defaults.
                None if answer.stored.is_null() => (&case.input.object, Some(&case.input.old_object)),
                None => (&answer.stored, Some(&case.input.old_object)),
            };
            let stored = stored.filter(|stored| !stored.is_null());
            let violated = set.find_violations(object, stored).into_iter().map(|rule| rule.name.clone());
            Some(ReadCase {
                violated: violated.collect(),
                object: set.read_object(object).into_owned(),
                stored: stored.map(|stored| set.read_object(stored).into_owned()),
            })
        };
        Self(cases.map(read).collect())
    }

    /// True if the case with an index may have another result with a mutant. It has the same if it satisfies the rule before and after the
    /// change.
    pub(super) fn can_notice(&self, index: usize, set: &RuleSet, change: &ChangedRule<'_>) -> bool {
        let Some(Some(case)) = self.0.get(index) else { return true };
        let is_violated = |rule: &AuthoredRule| set.is_violated(rule, &case.object, case.stored.as_ref());
        case.violated.contains(change.name) || change.rule.as_ref().is_some_and(is_violated)
    }
}

/// A rule with a change.
#[derive(Debug)]
pub(super) struct ChangedRule<'m> {
    name: &'m str,
    /// None if it is dropped.
    rule: Option<AuthoredRule>,
}

impl<'m> ChangedRule<'m> {
    /// Reads the rule of a mutant; `None` if it has errors.
    pub(super) fn read(set: &RuleSet, mutant: &'m Mutant) -> Option<Self> {
        let written = Some(&mutant.after).filter(|after| !after.is_null());
        let rule = match written {
            Some(written) => Some(set.read_changed_rule(written)?),
            None => None,
        };
        Some(Self { name: &mutant.name, rule })
    }
}
