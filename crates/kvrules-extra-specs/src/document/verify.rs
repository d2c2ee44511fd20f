//! Checks of a definition whose every field is of the right type.

use std::collections::{BTreeMap, HashMap};

use kvrules_diagnostics::Span;
use kvrules_regex::python::PythonRegex;
use kvrules_syntax::Node;

use super::findings::DocumentFindings;
use super::{Document, Entry};
use crate::definition::{EnumMember, Status, ValueType};
use crate::lints;

/// Looks at one entry.
pub(super) fn check_entry(entry: &Entry, node: Node<'_>, problems: &mut DocumentFindings) {
    if entry.name.is_empty() {
        let place = node.get("name").unwrap_or(node).span();
        problems.push_undecided(lints::DEFINITION_SHAPE.diagnostic_at(place, "the name is empty"));
    }
    check_parameters(entry, node, problems);
    check_braces(entry, node, problems);
    let value = node.get("value");
    match &entry.value.r#type {
        ValueType::Integer { min: Some(min), max: Some(max) } if min > max => {
            let message = format!("no number is at least {min} and at most {max}");
            let place = value.and_then(|value| value.get("min")).unwrap_or(node).span();
            let related = value.and_then(|value| value.get("max")).map_or(place, Node::span);
            problems.push_undecided(
                lints::DEFINITION_VALUES
                    .diagnostic_at(place, message)
                    .with_secondary_label(related, "the greatest"),
            );
        }
        ValueType::String { members, pattern } => {
            if let (Some(pattern), Some(node)) = (pattern, value.and_then(|value| value.get("pattern"))) {
                check_pattern(node, problems);
                // base.py, ExtraSpecValidator.__post_init__ does not keep it, and _validate_str then hands None to `re`.
                if pattern.is_empty() {
                    let message = "empty pattern, which crashes Nova at every value";
                    let problem = lints::DEFINITION_PATTERN.diagnostic_at(node.span(), message);
                    problems.push_undecided(problem.with_help("omit `pattern` to accept any string"));
                }
            }
            if let (Some(members), Some(value)) = (members, value) {
                check_enumeration(members, pattern.as_deref(), value, problems);
            }
        }
        _ => {}
    }
    if let Status::Deprecated { replacement: None, .. } = entry.status {
        let place = node.entry("status").map_or(node.span(), |entry| entry.key.span());
        let message = format!("`{}` is deprecated without a replacement", entry.name);
        let problem = lints::DEPRECATED_WITHOUT_REPLACEMENT.diagnostic_at(place, message);
        problems.push(problem.with_help("name the `replacement` in `status`"));
    }
}

/// Looks at the names of all, and drops those that are there already: the first stays.
pub(super) fn check_names(document: &mut Document, problems: &mut DocumentFindings) {
    let mut first: HashMap<String, Option<Span>> = HashMap::new();
    document.definitions.retain(|entry| {
        let mut fresh = true;
        for definition in entry.expanded() {
            let span = entry.origin.span();
            match first.get(&definition.name) {
                Some(known) => {
                    let message = format!("`{}` is already defined", definition.name);
                    let place = span.unwrap_or_default();
                    let problem = lints::DEFINITION_TWICE.diagnostic_at(place, message);
                    problems.push(match known {
                        Some(known) => problem.with_secondary_label(*known, "the first is here"),
                        None => problem,
                    });
                    fresh = false;
                }
                None => drop(first.insert(definition.name, span)),
            }
        }
        // A family keeps its other names; the registry leaves out the duplicate.
        fresh || !entry.for_each.is_empty()
    });
    check_replacements(document, problems);
}

/// A replacement in a namespace of this document must be there.
fn check_replacements(document: &Document, problems: &mut DocumentFindings) {
    let all = document.expand_definitions();
    for definition in &all {
        let Status::Deprecated { replacement: Some(name), .. } = &definition.status else { continue };
        let group = name.split(':').next().filter(|_| name.contains(':'));
        // A replacement in another group may be defined in another document.
        let same_group = group.is_some() && all.iter().any(|other| other.group() == group);
        if same_group && !all.iter().any(|other| other.name == *name) {
            let place = definition.origin.span().unwrap_or_default();
            let message = format!("`{}` is to be replaced by `{name}`, which is undefined", definition.name);
            problems.push(lints::DEPRECATED_WITHOUT_REPLACEMENT.diagnostic_at(place, message));
        }
    }
}

fn check_parameters(entry: &Entry, node: Node<'_>, problems: &mut DocumentFindings) {
    let mut seen = BTreeMap::new();
    let nodes = node.get("parameters").into_iter().flat_map(Node::items);
    for item in nodes {
        let (Some(name), Some(pattern)) = (item.get("name"), item.get("pattern")) else { continue };
        check_pattern(pattern, problems);
        let text = name.text();
        let times = entry.name.matches(&format!("{{{text}}}")).count();
        let span = name.span();
        if let Some(first) = seen.insert(text.to_owned(), span) {
            let message = format!("duplicate parameter `{text}`");
            problems.push_undecided(
                lints::DEFINITION_PARAMETER
                    .diagnostic_at(span, message)
                    .with_secondary_label(first, "the first is here"),
            );
        // Each place becomes a group of the same name, so that `re` refuses the expression at every lookup.
        } else if times > 1 {
            let message = format!("the name has the parameter `{text}` more than once");
            problems.push_undecided(lints::DEFINITION_PARAMETER.diagnostic_at(span, message));
        } else if times == 0 {
            let message = format!("unused parameter `{text}`");
            let problem = lints::IDLE_DEFINITION_PART.diagnostic_at(span, message);
            problems.push(problem.with_help(format!("remove it, or write `{{{text}}}` in the name")));
        }
        // Python's own rule for the names of groups, which parameters become.
        if PythonRegex::new(&format!("(?P<{text}>)")).is_err() {
            let message = format!("`{text}` cannot name a parameter");
            let problem = lints::DEFINITION_PARAMETER.diagnostic_at(span, message);
            problems.push_undecided(problem.with_help("use letters, digits and `_`, and no digit first"));
        }
    }
}

/// Braces in the name, or in the words of its descriptions, that are not parameters.
fn check_braces(entry: &Entry, node: Node<'_>, problems: &mut DocumentFindings) {
    let Some(name) = node.get("name") else { return };
    let mut at = 0;
    while let Some(open) = entry.name.get(at..).and_then(|rest| rest.find('{')).map(|found| at + found) {
        let rest = entry.name.get(open + 1..).unwrap_or_default();
        let Some((word, _)) = rest.split_once('}') else { break };
        at = open + 1;
        // Nova would leave the braces in the expression, and its API refuses keys with braces.
        let known = entry.parameters.iter().any(|parameter| parameter.name == word)
            || entry.for_each.contains_key(word);
        if !known {
            let span = name.span_of(open..open + word.len() + 2);
            let message = format!("unknown parameter `{word}` in the name");
            let problem = lints::DEFINITION_PARAMETER.diagnostic_at(span, message);
            problems.push_undecided(problem.with_help("add it to `parameters`, with a pattern"));
        }
    }
    for (word, texts) in &entry.for_each {
        let place = node.entry("for-each").map_or(node.span(), |entry| entry.key.span());
        if !entry.name.contains(&format!("{{{word}}}")) {
            let message = format!("the name does not use `{{{word}}}`, so that all names are the same");
            problems.push_undecided(lints::DEFINITION_PARAMETER.diagnostic_at(place, message));
        }
        if texts.is_empty() {
            let message = "`for-each` has no values, so it defines nothing".to_owned();
            problems.push(lints::IDLE_DEFINITION_PART.diagnostic_at(place, message));
        }
    }
}

/// Reports a pattern that Python refuses, at the place in the file.
fn check_pattern(node: Node<'_>, problems: &mut DocumentFindings) {
    let Some(pattern) = node.as_str() else { return };
    let error = match PythonRegex::new(pattern) {
        Err(error) => error,
        // A pattern that Python accepts must also have a matcher that takes linear time.
        Ok(regex) => match regex.to_regex().and_then(|_| regex.compile_matcher()) {
            Ok(_) => return,
            Err(error) => error,
        },
    };
    let span = node.span_of(error.span.clone());
    if let Some(construct) = error.unsupported_construct() {
        let message = format!("the pattern has {}, which not every engine supports", construct.as_str());
        let finding = lints::DEFINITION_NOT_PORTABLE.diagnostic_at(span, message);
        problems.push(finding.with_help("rewrite it so that every engine can check it in linear time"));
    } else {
        let message = format!("invalid pattern: {error}");
        problems.push_undecided(lints::DEFINITION_PATTERN.diagnostic_at(span, message));
    }
}

fn check_enumeration(
    members: &[EnumMember],
    pattern: Option<&str>,
    value: Node<'_>,
    problems: &mut DocumentFindings,
) {
    let Some(entry) = value.entry("enum") else { return };
    if members.is_empty() {
        let message = "empty enum, so no value is allowed";
        problems.push(lints::DEFINITION_VALUES.diagnostic_at(entry.key.span(), message));
    }
    // base.py, ExtraSpecValidator._validate_str looks at the enum only if there is no pattern.
    if pattern.is_some() {
        let message = "the enum is ignored next to a pattern";
        let problem = lints::IDLE_DEFINITION_PART.diagnostic_at(entry.key.span(), message);
        problems.push(problem.with_help("keep one of the two"));
    }
    let mut seen = BTreeMap::new();
    for item in entry.value.items() {
        let text = item.get("value").unwrap_or(item);
        if let Some(first) = seen.insert(text.text().to_owned(), text.span()) {
            let message = format!("duplicate value `{}` in the enum", text.text());
            problems.push(
                lints::IDLE_DEFINITION_PART
                    .diagnostic_at(text.span(), message)
                    .with_secondary_label(first, "the first is here"),
            );
        }
    }
}
