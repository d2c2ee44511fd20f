//! The requirements of a side: rules at places of a schema, and parts without such a rule.

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_lift::DefinitionRule;
use kvrules_rule_set::RuleSeverity;
use serde_json::Value;

use super::policy_writes::WriteEntries;
use crate::report::ChangeSite;

/// A rule of a side at a place of the common schema.
#[derive(Debug)]
pub(super) struct SideRule {
    /// Its name in the notation.
    pub(super) name: String,
    /// The requirement as it is written.
    pub(super) text: String,
    pub(super) severity: RuleSeverity,
    pub(super) place: Vec<PlaceStep>,
    pub(super) entries: WriteEntries,
    pub(super) site: ChangeSite,
}

/// A part of a side that no rule of the schema expresses. The rules of the side accept more than it does.
#[derive(Debug)]
pub(super) struct OpaquePart {
    pub(super) name: String,
    pub(super) reason: String,
    pub(super) severity: RuleSeverity,
    pub(super) site: ChangeSite,
}

/// The requirements of a side.
#[derive(Debug, Default)]
pub(super) struct SideRules {
    pub(super) rules: Vec<SideRule>,
    pub(super) opaque: Vec<OpaquePart>,
    /// The requests that are evaluated, as it is written; `None` for all.
    pub(super) selection: Option<String>,
}

impl SideRule {
    /// The entries as rules of a schema; none if it does not have the place.
    pub(super) fn to_definition_rules(&self, schema: &Value) -> Vec<DefinitionRule<'static>> {
        let Some(node) = schema_at_place(schema, &self.place) else { return Vec::new() };
        let values = if self.place.is_empty() { with_object_meta(node) } else { node.clone() };
        let rule = |entry: &Value| DefinitionRule {
            place: self.place.clone(),
            schema: values.clone().into(),
            index: 0,
            source: RuleSource::from_json(entry),
            constant_fields: Vec::new(),
        };
        self.entries.all().into_iter().map(rule).collect()
    }

    pub(super) fn fits_types(&self, schema: &Value) -> bool {
        let rules = self.to_definition_rules(schema);
        rules.len() == self.entries.all().len() && rules.iter().all(|rule| rule.check_types().is_ok())
    }
}
