//! Mutants of RuleSets: changes of words and conditions, and of expressions in CEL.

use kvrules_rule_set::{RuleChange, RuleSet};
use serde_json::Value;

use super::equivalence::{Equivalence, compare_rules};
use super::mutant_status::MutantStatus;
use super::mutants::{Mutant, expression_mutants, rule_with_text};
use super::rule_set_witness::{ComparedRules, find_rule_witness};
use super::sites::{MeasuredRules, RuleSite};
use super::witness::{Witness, WitnessSearch};
use crate::document::text_field;

/// Number of objects of cases that a witness is made from.
const MOST_OBJECTS: usize = 20;

/// Generates the mutants of the rules of a RuleSet. Those that have errors are left out.
pub(super) fn rule_set_mutants(rules: &MeasuredRules<'_>) -> Vec<Mutant> {
    let subject =
        rules.cases.first().and_then(|case| case.subject.find_rule_set(&rules.origin, &rules.document));
    let Some(set) = subject.map(|subject| &subject.set) else { return Vec::new() };
    let of_site = |(index, site): (usize, &RuleSite)| site_mutants(rules, set, index, site);
    rules.sites.iter().enumerate().flat_map(of_site).collect()
}

fn site_mutants(rules: &MeasuredRules<'_>, set: &RuleSet, index: usize, site: &RuleSite) -> Vec<Mutant> {
    let written = rules.document.pointer(&site.pointer);
    let Some(written) = written.filter(|it| text_field(it, "name") == site.name) else { return Vec::new() };
    let mut changes = set.list_changes(written);
    changes.extend(expression_changes(index, site, written));
    let mut mutants: Vec<Mutant> = Vec::new();
    for change in changes {
        let after = change.rule.clone().unwrap_or_default();
        // Examples do not state the consequence of a violation.
        let is_noticeable = after.get("severity") == written.get("severity")
            || change.rule.is_none()
            || rules.cases.iter().any(|case| case.expected.example.is_none());
        let is_new = is_noticeable && after != *written && !mutants.iter().any(|known| known.after == after);
        let is_valid = |rule: &Value| set.read_changed_rule(rule).is_some();
        if !is_new || !change.rule.as_ref().is_none_or(is_valid) {
            continue;
        }
        mutants.push(Mutant {
            name: site.name.clone(),
            pointer: site.pointer.clone(),
            description: change.description,
            before: written.clone(),
            after,
            site: Some(index),
            document: None,
        });
    }
    mutants
}

/// Changes of an expression in CEL.
fn expression_changes(index: usize, site: &RuleSite, written: &Value) -> Vec<RuleChange> {
    let Some(text) = written.get("cel").and_then(Value::as_str) else { return Vec::new() };
    let rule = site.rule.as_deref().map(|rule| Box::new(rule_with_text(rule, text)));
    let of_text = RuleSite { text: text.to_owned(), rule, ..site.clone() };
    let change = |mutant: Mutant| {
        let mut rule = written.clone();
        rule.as_object_mut()?.insert("cel".to_owned(), mutant.after);
        Some(RuleChange { description: format!("`cel`: {}", mutant.description), rule: Some(rule) })
    };
    expression_mutants(index, &of_text).into_iter().filter_map(change).collect()
}

/// Decides if an object distinguishes a mutant from the RuleSet.
pub(super) fn evaluate_rule_set_survivor(
    rules: &MeasuredRules<'_>,
    mutant: &Mutant,
    search: &WitnessSearch<'_>,
) -> (MutantStatus, Option<Witness>) {
    let undecided = (MutantStatus::Undecided, None);
    let own = search.original.find_rule_set(&rules.origin, &rules.document).map(|it| &it.set);
    let other = search.mutant.rule_sets.iter().find(|it| it.origin == rules.origin).map(|it| &it.set);
    let (Some(own), Some(other)) = (own, other) else { return undecided };
    let rule = |set: &RuleSet| set.rules.iter().find(|rule| rule.name == mutant.name).cloned();
    let Some(original) = rule(own) else { return undecided };
    let changed = rule(other);
    let Some(placed) = own.rule_at_scope(&original) else { return undecided };
    let placed_change = match &changed {
        Some(changed) if changed.scope == original.scope => other.rule_at_scope(changed),
        Some(_) => None,
        None => Some(rule_with_text(&placed, "true")),
    };
    let has_severity = changed.as_ref().is_none_or(|changed| changed.severity == original.severity);
    let relation = placed_change.map_or(Equivalence::Undecided, |changed| compare_rules(&placed, &changed));
    let formulas = match relation {
        Equivalence::Proved if has_severity => return (MutantStatus::Equivalent, None),
        Equivalence::Open(formulas) => Some(formulas),
        Equivalence::Proved | Equivalence::Undecided => None,
    };
    let compared = ComparedRules {
        sides: (own, other),
        document: &rules.document,
        written: vec![&mutant.before, &mutant.after],
        rules: (&original, changed.as_ref()),
        objects: rules.cases.iter().map(|case| case.input.object.clone()).take(MOST_OBJECTS).collect(),
    };
    match find_rule_witness(search, &compared, &placed, formulas.as_deref()) {
        Some(witness) => (MutantStatus::Survived, Some(witness)),
        None => undecided,
    }
}
