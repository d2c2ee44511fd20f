//! Mutants of rules of templates: changes of the JSON in their annotation.

use kvrules_diagnostics::FileId;
use serde_json::{Number, Value};

use super::mutants::Mutant;
use super::sites::RuleSite;
use crate::document::{parse_documents, text_field};

/// Fields with a bound.
const BOUNDS: [&str; 4] = ["min", "max", "minLength", "maxLength"];
/// Fields with a list of values.
const LISTS: [&str; 2] = ["values", "included"];

/// Generates the mutants of the rules in a text. Rule sets with the same text are one.
pub(super) fn template_mutants(text: &str, sites: &[RuleSite]) -> Vec<Mutant> {
    let (documents, _) = parse_documents(FileId::default(), text);
    let documents: Vec<Value> = documents.into_iter().map(|document| document.value).collect();
    let mut annotations = Vec::new();
    for document in &documents {
        collect_annotations(document, &mut annotations);
    }
    let mut mutants = Vec::new();
    for annotation in annotations {
        let Ok(Value::Array(rules)) = serde_json::from_str(&annotation) else { continue };
        for (index, rule) in rules.iter().enumerate() {
            let site = sites.iter().position(|site| site.name == text_field(rule, "name"));
            for (description, changed) in change_rule(rule) {
                let mut all = rules.clone();
                match (&changed, all.get_mut(index)) {
                    (Some(changed), Some(place)) => *place = changed.clone(),
                    _ => _ = all.remove(index),
                }
                let written = Value::Array(all).to_string();
                mutants.push(Mutant {
                    name: text_field(rule, "name").to_owned(),
                    pointer: format!("/{index}"),
                    description,
                    before: rule.clone(),
                    after: changed.unwrap_or_default(),
                    site,
                    document: Some(write_documents(&documents, &annotation, &written)),
                });
            }
        }
    }
    mutants
}

/// Collects the texts of annotations with rules, each once.
fn collect_annotations(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "vm.kubevirt.io/validations" || name == "validations")
                {
                    Some(text) if !found.iter().any(|known| known == text) => found.push(text.to_owned()),
                    Some(_) => {}
                    None => collect_annotations(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_annotations(item, found)),
        _ => {}
    }
}

/// Returns the changes of a rule: descriptions, and the changed rule; none if it is dropped.
fn change_rule(rule: &Value) -> Vec<(String, Option<Value>)> {
    let mut changes = vec![("the rule is dropped".to_owned(), None)];
    let mut set = |field: &str, description: String, value: Option<Value>| {
        let mut copy = rule.clone();
        let Some(fields) = copy.as_object_mut() else { return };
        match value {
            Some(value) => _ = fields.insert(field.to_owned(), value),
            None => _ = fields.shift_remove(field),
        }
        changes.push((description, Some(copy)));
    };
    for field in BOUNDS {
        let Some(bound) = rule.get(field).and_then(Value::as_i64) else { continue };
        for changed in [bound.saturating_add(1), bound.saturating_sub(1)] {
            let is_length = field.ends_with("Length");
            if changed >= 0 || !is_length {
                set(field, format!("`{field}` becomes {changed}"), Some(Number::from(changed).into()));
            }
        }
    }
    for field in LISTS {
        let Some(values) = rule.get(field).and_then(Value::as_array) else { continue };
        for index in 0..values.len() {
            let mut kept = values.clone();
            let dropped = kept.remove(index);
            if !kept.is_empty() {
                set(field, format!("{dropped} is removed from `{field}`"), Some(kept.into()));
            }
        }
    }
    if rule.get("valid").is_some() {
        set("valid", "the guard `valid` is dropped".to_owned(), None);
    }
    let only_warns = rule.get("justWarning").and_then(Value::as_bool).unwrap_or(false);
    set("justWarning", format!("`justWarning` becomes {}", !only_warns), Some((!only_warns).into()));
    changes
}

/// Returns the text of the documents with another annotation.
fn write_documents(documents: &[Value], from: &str, to: &str) -> Value {
    let texts = documents.iter().map(|document| {
        let mut document = document.clone();
        replace_text(&mut document, from, to);
        document.to_string()
    });
    texts.collect::<Vec<_>>().join("\n---\n").into()
}

fn replace_text(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace_text(value, from, to)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_text(item, from, to)),
        _ => {}
    }
}
