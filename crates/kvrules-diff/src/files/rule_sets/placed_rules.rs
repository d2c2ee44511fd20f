//! The rules of a RuleSet at their places in a schema that was compared.

use std::collections::{BTreeMap, HashMap};

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::Span;
use kvrules_generate::{PlaceStep, place_text};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::definition_rules;
use kvrules_rule_set::{AuthoredRule, RuleSet};
use serde_json::Value;

use crate::report::ChangeSite;
use crate::schema::RuleNames;

/// The rules of a RuleSet by the tokens that lead to their entries in a schema.
pub(super) struct PlacedRules<'s> {
    rules: BTreeMap<Vec<String>, &'s AuthoredRule>,
    /// The rules by what a proof calls them.
    premises: HashMap<String, &'s AuthoredRule>,
    whole: Span,
}

impl<'s> PlacedRules<'s> {
    pub(super) fn new(set: &'s RuleSet, version: &ResourceVersion) -> Self {
        let names = version.authored.as_ref().map(|authored| authored.rule_names.clone()).unwrap_or_default();
        let by_name: HashMap<&str, &AuthoredRule> =
            set.rules.iter().rev().map(|rule| (rule.name.as_str(), rule)).collect();
        let mut rules = BTreeMap::new();
        let mut premises = HashMap::new();
        for placed in definition_rules(&version.schema) {
            let known = names.get(&placed.name_by_place()).and_then(|name| by_name.get(name.as_str()));
            let Some(rule) = known.copied() else { continue };
            premises.entry(premise_name(&placed.place, &placed.source.rule)).or_insert(rule);
            rules.insert(entry_tokens(&version.schema, &placed.place, placed.index), rule);
        }
        Self { rules, premises, whole: set.span }
    }

    /// The names of the rules.
    pub(super) fn names(&self) -> RuleNames {
        self.rules.iter().map(|(tokens, rule)| (tokens.clone(), rule.name.clone())).collect()
    }

    /// The rule that a site in the schema belongs to.
    pub(super) fn rule_at(&self, site: &ChangeSite) -> Option<&'s AuthoredRule> {
        let ChangeSite::Pointer(pointer) = site else { return None };
        let entries = pointer.iter().enumerate().filter(|(_, token)| *token == VALIDATIONS);
        entries.filter_map(|(at, _)| pointer.get(..at + 2)).find_map(|tokens| self.rules.get(tokens)).copied()
    }

    /// The rule that a proof names.
    pub(super) fn named_by_proof(&self, premise: &str) -> Option<&'s AuthoredRule> {
        self.premises.get(premise).copied()
    }

    /// Replaces a site in the schema with the location of its rule, else of the RuleSet.
    pub(super) fn relocate(&self, site: &mut ChangeSite) {
        if matches!(site, ChangeSite::Pointer(_)) {
            *site = ChangeSite::Span(self.rule_at(site).map_or(self.whole, |rule| rule.span));
        }
    }
}

/// The name of a rule in a proof: its text, and its place unless that is the whole object.
pub(in crate::files) fn premise_name(place: &[PlaceStep], rule: &str) -> String {
    let text = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    match place_text(place).as_str() {
        "" => format!("`{text}`"),
        place => format!("`{text}` of `{place}`"),
    }
}

/// The tokens that lead to an entry of a place in a schema.
pub(in crate::files) fn entry_tokens(schema: &Value, place: &[PlaceStep], index: usize) -> Vec<String> {
    let (mut tokens, mut node) = (Vec::new(), schema);
    for step in place {
        let below: Vec<String> = match step {
            PlaceStep::Field(name) => vec!["properties".to_owned(), name.clone()],
            PlaceStep::Any if node.get("items").is_some() => vec!["items".to_owned()],
            PlaceStep::Any => vec!["additionalProperties".to_owned()],
        };
        node = below.iter().try_fold(node, |node, token| node.get(token)).unwrap_or(&Value::Null);
        tokens.extend(below);
    }
    tokens.extend([VALIDATIONS.to_owned(), index.to_string()]);
    tokens
}
