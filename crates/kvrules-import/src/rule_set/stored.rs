//! Candidates for rules about updates.

use std::collections::BTreeMap;

use kvrules_cel::value::from_schema;
use kvrules_ir::{Constant, Formula, Term};
use kvrules_lift::{FormulaScope, replace_term};
use kvrules_rule_set::RulePath;
use serde_json::{Value as Json, json};

use super::candidates::{Perspective, RuleEntry};
use super::part::PartScope;

/// The most values between which transitions are tried.
const MOST_VALUES: usize = 12;

/// Rules with one word about the stored value that may say the same as a formula.
pub(super) fn stored_candidates(formula: &Formula, schema: &Json, view: &Perspective) -> Vec<Vec<RuleEntry>> {
    let mut found = Vec::new();
    for (path, node) in compared_paths(formula, schema) {
        let mut words: Vec<(&str, Json)> =
            ["whileSet", "onceSet", "always"].map(|form| ("immutable", json!(form))).into();
        match node.get("type").and_then(Json::as_str) {
            Some("array" | "object") => words.push(("noRemoval", json!(true))),
            Some("string") => {
                words.extend(transitions(formula, &path, node).map(|steps| ("transitions", steps)));
            }
            _ => {}
        }
        let rules = words.into_iter().filter_map(|(word, argument)| view.one_word(&path, word, argument));
        found.extend(rules.map(|rule| vec![rule]));
    }
    found
}

/// The paths that are read both of the value and of the stored value, the longest first.
fn compared_paths<'s>(formula: &Formula, schema: &'s Json) -> Vec<(RulePath, &'s Json)> {
    let of = |root: &str| PartScope { roots: vec![Term::Root(root.to_owned())], schema };
    let (now, before) = (of("self"), of("oldSelf"));
    let (mut read, mut stored) = (Vec::new(), Vec::new());
    formula.visit_terms(&mut |term| {
        read.extend(now.path_of(term));
        stored.extend(before.path_of(term).map(|(path, _)| path));
    });
    let mut both: Vec<(RulePath, &Json)> = Vec::new();
    for (path, node) in read {
        if stored.contains(&path) && !both.iter().any(|(known, _)| *known == path) {
            both.push((path, node));
        }
    }
    both.sort_by_key(|(path, _)| std::cmp::Reverse(path.0.len()));
    both.truncate(3);
    both
}

/// The steps that a formula allows between the values that it names; `None` if a value may not stay.
fn transitions(formula: &Formula, path: &RulePath, node: &Json) -> Option<Json> {
    let mut values: Vec<String> = Vec::new();
    let listed = node.get("enum").and_then(Json::as_array).into_iter().flatten();
    values.extend(listed.filter_map(Json::as_str).map(str::to_owned));
    formula.visit_terms(&mut |term| {
        if let Term::Constant(Constant::Text(text)) = term
            && !values.contains(text)
        {
            values.push(text.clone());
        }
    });
    if values.is_empty() || values.len() > MOST_VALUES {
        return None;
    }
    // Only the one field matters, so that it stands for the whole value.
    let field = |root: &str| {
        path.0.iter().fold(Term::Root(root.to_owned()), |term, step| match step {
            kvrules_rule_set::PathStep::Field(name) => term.with_field(name.clone()),
            kvrules_rule_set::PathStep::Each => term,
        })
    };
    let formula = replace_term(formula, &field("self"), &Term::Root("now".to_owned()));
    let formula = replace_term(&formula, &field("oldSelf"), &Term::Root("before".to_owned()));
    let text = json!({"type": "string"});
    let allows = |from: &str, to: &str| {
        let scope = FormulaScope::new()
            .with_root("now", from_schema(&json!(to), &text))
            .with_root("before", from_schema(&json!(from), &text));
        scope.formula_holds(&formula)
    };
    let mut steps: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for from in &values {
        if !allows(from, from) {
            return None;
        }
        let next: Vec<&str> =
            values.iter().filter(|to| *to != from && allows(from, to)).map(String::as_str).collect();
        if !next.is_empty() {
            steps.insert(from, next);
        }
    }
    (!steps.is_empty()).then(|| json!(steps))
}
