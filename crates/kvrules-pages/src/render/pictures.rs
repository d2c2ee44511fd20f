//! Pictures of pages as a whole, in formats with pictures.

use std::collections::BTreeMap;

use crate::pictures::{
    FidelityMatrix, FidelityRow, Picture, TreeField, draw_fidelity_matrix, draw_rule_tree,
};
use minijinja::Value;

use crate::document::SetPage;
use crate::fact::{Fact, FactValue, Piece};
use crate::formats::Format;
use crate::resources::{ResourcePage, ResourceRule};

/// Returns the fidelity of targets to the rules of a set; nothing if it is not known.
pub(super) fn fidelity_picture(set: &SetPage, format: &Format) -> Value {
    let mut targets: Vec<&str> = Vec::new();
    for fidelity in set.rules.iter().flat_map(|rule| &rule.page.fidelity) {
        if !targets.contains(&fidelity.target.as_str()) {
            targets.push(&fidelity.target);
        }
    }
    let row = |rule: &crate::document::RulePage| {
        let of_target = |target: &&str| rule.page.fidelity.iter().find(|fidelity| fidelity.target == *target);
        let fidelity = targets.iter().map(|target| of_target(target).map(|fidelity| fidelity.fidelity));
        FidelityRow { name: rule.page.title.clone(), fidelity: fidelity.collect() }
    };
    let rules: Vec<FidelityRow> = set.rules.iter().map(row).collect();
    let targets: Vec<String> = targets.into_iter().map(str::to_owned).collect();
    let draw = || draw_fidelity_matrix(&FidelityMatrix { targets: targets.clone(), rules });
    in_format(format, !targets.is_empty(), draw)
}

/// Returns the rules of a definition on the tree of its fields; nothing if it has none.
pub(super) fn rule_tree_picture(page: &ResourcePage, format: &Format) -> Value {
    // Fields of a policy are names and no paths.
    let of_fields = page
        .sections
        .iter()
        .filter(|section| section.anchor.starts_with("fields") || section.anchor.ends_with("-fields"));
    let mut rules: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for section in of_fields {
        let path = section.title.strip_suffix(" fields").unwrap_or_default();
        let of_section = (!section.rules.is_empty()).then_some((path, &section.rules));
        let of_entries = section.entries.iter().filter(|entry| !entry.rules.is_empty());
        for (path, found) in
            of_section.into_iter().chain(of_entries.map(|entry| (entry.name.as_str(), &entry.rules)))
        {
            let labels = found.iter().map(rule_label);
            rules.entry(path_names(path)).or_default().extend(labels);
        }
    }
    let has_rules = !rules.is_empty();
    in_format(format, has_rules, || draw_rule_tree(&tree_fields(rules)))
}

fn in_format(format: &Format, is_known: bool, draw: impl FnOnce() -> Picture) -> Value {
    if format.picture.is_none() || !is_known {
        return Value::from(());
    }
    Value::from_safe_string(draw().to_scrolling())
}

/// The names along a path.
fn path_names(path: &str) -> Vec<String> {
    path.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Fields with rules, each after its parents. The object itself is at depth 0.
fn tree_fields(rules: BTreeMap<Vec<String>, Vec<String>>) -> Vec<TreeField> {
    let mut fields = vec![TreeField { depth: 0, name: "(object)".to_owned(), rules: Vec::new() }];
    let mut before: Vec<String> = Vec::new();
    for (names, labels) in rules {
        let shared = names.iter().zip(&before).take_while(|(one, other)| one == other).count();
        for (depth, name) in names.iter().enumerate().skip(shared) {
            fields.push(TreeField { depth: depth + 1, name: name.clone(), rules: Vec::new() });
        }
        if let Some(field) = fields.last_mut() {
            field.rules = labels;
        }
        before = names;
    }
    fields
}

/// A rule in one line: its message, else its meaning, else its expression.
fn rule_label(rule: &ResourceRule) -> String {
    let of_kind = |kind: &str| rule.facts.iter().find(|fact| fact.kind == kind).map(plain_value);
    let label = of_kind("message").or_else(|| of_kind("accepted")).or_else(|| of_kind("cel"));
    label.unwrap_or_else(|| rule.title.clone())
}

fn plain_value(fact: &Fact) -> String {
    let FactValue::Line(line) = &fact.value else {
        return if let FactValue::Code(code) = &fact.value { code.clone() } else { String::new() };
    };
    let piece = |piece: &Piece| match piece {
        Piece::Words(words) => words.as_str().to_owned(),
        Piece::Text(text) => text.plain.clone(),
        Piece::Code(code) => code.clone(),
        Piece::Link { text, .. } => text.clone(),
        Piece::Reference(reference) => reference.name.clone(),
        Piece::Target { name, .. } => name.clone(),
        Piece::Picture(_) => String::new(),
    };
    line.iter().map(piece).collect()
}
