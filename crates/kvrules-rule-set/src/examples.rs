//! Examples: objects with the verdict that the author expects.

use kvrules_diagnostics::{Diagnostic, Span, suggest_nearest};
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::{Value as Json, json};

use crate::lints;
use crate::mapping::check_mapping;
use crate::rule_set::{AuthoredRule, RuleExample, RuleSet};

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
    if node.get("object").is_none() && (node.is_map() || set.subject.is_of_documents()) {
        let span = node.entries().next().map_or(node.span(), |entry| entry.key.span());
        let object = read_object(node, set, findings)?;
        return Some(RuleExample {
            name: None,
            span,
            is_accepted,
            object,
            stored: None,
            violates: Vec::new(),
            messages: Vec::new(),
        });
    }
    let known: &[&str] = if is_accepted {
        &["name", "object", "old"]
    } else {
        &["name", "object", "old", "violates", "messages"]
    };
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
            let finding = lints::RULE_SET_SHAPE.diagnostic_at(item.span(), format!("unknown rule `{text}`"));
            findings.push(finding.help_if(suggest_nearest(text, names)));
            return None;
        }
    }
    let messages = read_messages(node, findings)?;
    Some(RuleExample { name, span, is_accepted, object, stored, violates, messages })
}

fn read_messages(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Vec<(String, Span)>> {
    let Some(list) = node.get("messages") else { return Some(Vec::new()) };
    let texts = list.items().map(|item| Some((item.as_str()?.to_owned(), item.span())));
    let texts: Option<Vec<_>> = texts.collect();
    let texts = texts.filter(|texts| list.is_list() && texts.iter().all(|(text, _)| !text.trim().is_empty()));
    if texts.is_none() {
        let message = "`messages` must be a list of parts of messages";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(list.span(), message));
    }
    texts
}

fn read_object(node: Node<'_>, set: &RuleSet, findings: &mut Vec<Diagnostic>) -> Option<Json> {
    let value = match ValueReader::for_kubernetes().read_value(node) {
        Ok(value) => value,
        Err(error) => {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(error.span, error.message));
            return None;
        }
    };
    if set.subject.is_of_documents() {
        return Some(value);
    }
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

/// A difference between an example and the verdict of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleDifference {
    /// Its location.
    pub span: Span,
    /// The difference.
    pub message: String,
    /// The messages of the violated rules, if there are any; else empty.
    pub help: String,
}

impl RuleSet {
    /// Compares the verdict of the rules about an example with the one that the author expects; empty if they agree.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
    ///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
    ///     rules: [{name: paused, path: spec.paused, in: [false]}]\n  \
    ///     examples: {accept: [{spec: {paused: true}}]}\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
    /// assert_eq!(set.compare_example(&set.examples[0])[0].message, "the example violates `paused`");
    /// ```
    pub fn compare_example(&self, example: &RuleExample) -> Vec<ExampleDifference> {
        let violated = self.find_violations(&example.object, example.stored.as_ref());
        let named = || violated.iter().map(|rule| format!("`{}`", rule.name)).collect::<Vec<_>>().join(", ");
        // With the values, as users see them.
        let message = |rule: &&AuthoredRule| {
            let failing = self.find_failing_values(rule, &example.object);
            rule.message_for(failing.first().map(|found| &found.value))
        };
        let shown: Vec<String> = violated.iter().map(message).collect();
        let messages = || shown.join("; ");
        let differs = |span: Span, message: String| ExampleDifference { span, message, help: messages() };
        if example.is_accepted {
            let message = || format!("the example violates {}", named());
            return (!violated.is_empty()).then(|| differs(example.span, message())).into_iter().collect();
        }
        if violated.is_empty() {
            return vec![differs(example.span, "the example violates no rule".to_owned())];
        }
        let is_violated = |name: &str| violated.iter().any(|rule| rule.name == name);
        let rules = example.violates.iter().filter(|(name, _)| !is_violated(name)).map(|(name, span)| {
            differs(*span, format!("the example does not violate `{name}`, but {}", named()))
        });
        let is_message = |text: &str| shown.iter().any(|message| message.contains(text));
        let texts = example.messages.iter().filter(|(text, _)| !is_message(text));
        let texts =
            texts.map(|(text, span)| differs(*span, format!("no violated rule has `{text}` in its message")));
        rules.chain(texts).collect()
    }
}

/// Reports examples with another verdict than expected.
pub(crate) fn check_examples(set: &RuleSet, findings: &mut Vec<Diagnostic>) {
    for difference in set.examples.iter().flat_map(|example| set.compare_example(example)) {
        let help = Some(difference.help).filter(|help| !help.is_empty());
        findings
            .push(lints::EXAMPLE_VERDICT.diagnostic_at(difference.span, difference.message).help_if(help));
    }
}
