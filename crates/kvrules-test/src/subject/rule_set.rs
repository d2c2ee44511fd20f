//! RuleSets, evaluated by the meaning of their words.

use std::collections::HashMap;

use kvrules_rule_set::RuleSet;
use serde_json::Value;

use super::{NamedRule, RuleOrigin};
use crate::document::{list_items, text_field};

/// A RuleSet with the document that it is read from.
#[derive(Clone, Debug)]
pub struct RuleSetSubject {
    /// Its origin.
    pub origin: RuleOrigin,
    /// The document.
    pub document: Value,
    /// The RuleSet.
    pub set: RuleSet,
    /// False if some of it cannot be read, on which the verdicts depend.
    pub is_whole: bool,
}

impl RuleSetSubject {
    /// True if the rules are about objects of this kind.
    pub fn is_for(&self, api_version: &str, kind: &str) -> bool {
        self.set.subject.is_for(api_version, kind)
    }

    /// Returns the RuleSet with the rules of another document. A rule with an error stays as it is.
    #[must_use]
    pub(crate) fn with_document(&self, document: &Value) -> Self {
        let mut set = self.set.clone();
        let mut by_name: HashMap<&str, &Value> = HashMap::new();
        for rule in rules_of(document) {
            by_name.entry(text_field(rule, "name")).or_insert(rule);
        }
        for old in rules_of(&self.document) {
            let name = text_field(old, "name");
            let new = by_name.get(name).copied();
            if new != Some(old) {
                set = set.with_changed_rule(name, new).unwrap_or(set);
            }
        }
        Self { origin: self.origin.clone(), document: document.clone(), set, is_whole: self.is_whole }
    }

    pub(super) fn named_rules(&self) -> Vec<NamedRule> {
        let rules = self.set.rules.iter();
        rules.map(|rule| NamedRule { name: rule.name.clone(), aliases: vec![rule.message.clone()] }).collect()
    }
}

/// The rules as the document has them.
pub(crate) fn rules_of(document: &Value) -> impl Iterator<Item = &Value> {
    list_items(document.pointer("/spec/rules").unwrap_or(&Value::Null))
}
