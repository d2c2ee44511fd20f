//! Examples: objects with the verdict that the author expects.

use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::{Value as Json, json};

use crate::lints;
use crate::mapping::check_mapping;
use crate::rule_set::{RuleExample, RuleSet};

pub(crate) fn read_examples(
    node: Node<'_>,
    set: &RuleSet,
    findings: &mut Vec<Diagnostic>,
) -> Vec<RuleExample> {
    let mut examples = Vec::new();
    if !check_mapping(findings, node, "`examples`", &["accept", "reject"]) && !node.is_map() {
        return examples;
    }
    for (key, is_accepted) in [("accept", true), ("reject", false)] {
        let Some(list) = node.get(key) else { continue };
        if !list.is_list() {
            findings.push(
                lints::RULE_SET_SHAPE
                    .diagnostic_at(list.span(), format!("`{key}` must be a list of examples")),
            );
        }
        examples.extend(list.items().filter_map(|item| read_example(item, is_accepted, set, findings)));
    }
    examples
}

fn read_example(
    node: Node<'_>,
    is_accepted: bool,
    set: &RuleSet,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleExample> {
    if node.is_map() && node.get("object").is_none() {
        let span = node.entries().next().map_or(node.span(), |entry| entry.key.span());
        let object = read_object(node, set, findings)?;
        return Some(RuleExample {
            name: None,
            span,
            is_accepted,
            object,
            stored: None,
            violates: Vec::new(),
        });
    }
    let known: &[&str] =
        if is_accepted { &["name", "object", "old"] } else { &["name", "object", "old", "violates"] };
    if !check_mapping(findings, node, "the example", known) {
        return None;
    }
    let span = node.entries().next().map_or(node.span(), |entry| entry.key.span());
    let object = node.get("object")?;
    let object = read_object(object, set, findings)?;
    let stored = match node.get("old") {
        Some(old) => Some(read_object(old, set, findings)?),
        None => None,
    };
    let name = node.get("name").and_then(Node::as_str).map(str::to_owned);
    let mut violates = Vec::new();
    for item in node.get("violates").into_iter().flat_map(Node::items) {
        let text = item.text();
        if set.rules.iter().any(|rule| rule.name == text) {
            violates.push((text.to_owned(), item.span()));
        } else {
            let names = set.rules.iter().map(|rule| rule.name.as_str());
            let near = kvrules_diagnostics::find_nearest(text, names);
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(item.span(), format!("unknown rule `{text}`"));
            findings.push(finding.help_if(near.map(|near| format!("did you mean `{near}`?"))));
            return None;
        }
    }
    Some(RuleExample { name, span, is_accepted, object, stored, violates })
}

fn read_object(node: Node<'_>, set: &RuleSet, findings: &mut Vec<Diagnostic>) -> Option<Json> {
    let value = match ValueReader::for_kubernetes().read_value(node) {
        Ok(value) => value,
        Err(error) => {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(error.span, error.message));
            return None;
        }
    };
    let Json::Object(given) = value else {
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), "an example must be an object"));
        return None;
    };
    let version = &set.subject.version;
    let mut object = json!({"apiVersion": version.api_version(), "kind": version.kind});
    if let Json::Object(fields) = &mut object {
        fields.extend(given);
    }
    Some(object)
}

/// Reports examples with another verdict than expected.
pub(crate) fn check_examples(set: &RuleSet, findings: &mut Vec<Diagnostic>) {
    for example in &set.examples {
        let violated = set.find_violations(&example.object, example.stored.as_ref());
        let named = || violated.iter().map(|rule| format!("`{}`", rule.name)).collect::<Vec<_>>().join(", ");
        if example.is_accepted {
            if !violated.is_empty() {
                let message = format!("the example violates {}", named());
                let messages: Vec<_> = violated.iter().map(|rule| rule.message.as_str()).collect();
                let finding = lints::EXAMPLE_VERDICT.diagnostic_at(example.span, message);
                findings.push(finding.with_help(messages.join("; ")));
            }
            continue;
        }
        if violated.is_empty() {
            findings.push(lints::EXAMPLE_VERDICT.diagnostic_at(example.span, "the example violates no rule"));
        }
        for (name, span) in &example.violates {
            if !violated.is_empty() && !violated.iter().any(|rule| rule.name == *name) {
                let message = format!("the example does not violate `{name}`, but {}", named());
                findings.push(lints::EXAMPLE_VERDICT.diagnostic_at(*span, message));
            }
        }
    }
}
