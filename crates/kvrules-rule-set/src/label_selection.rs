//! Reading of the labels and namespaces in `match`, as selectors of labels.

use kvrules_cel::names::{label_value, qualified_name};
use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Map, Value as Json, json};

use crate::condition::ValueFormat;
use crate::lints;
use crate::mapping::check_mapping;
use crate::subject::RuleSubject;

/// The label that every namespace has, with its name.
// apis/core/v1/defaults.go, SetDefaults_Namespace
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// A selector of labels while it is read.
#[derive(Default)]
struct SelectorDraft {
    equal: Map<String, Json>,
    expressions: Vec<Json>,
}

impl SelectorDraft {
    fn require(&mut self, key: &str, operator: &str, values: &[String]) {
        let mut expression = json!({"key": key, "operator": operator});
        if let (Some(fields), false) = (expression.as_object_mut(), values.is_empty()) {
            fields.insert("values".to_owned(), values.into());
        }
        self.expressions.push(expression);
    }

    fn into_selector(self) -> Json {
        let mut selector = Map::new();
        if !self.equal.is_empty() {
            selector.insert("matchLabels".to_owned(), self.equal.into());
        }
        if !self.expressions.is_empty() {
            selector.insert("matchExpressions".to_owned(), self.expressions.into());
        }
        selector.into()
    }
}

/// Reads `namespaces` and `exceptNamespaces` of `match` as a selector of namespaces; an error if one of them is wrong.
pub(crate) fn read_namespaces(
    selected: Node<'_>,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Result<Option<Json>, ()> {
    let (own, except) = (selected.entry("namespaces"), selected.entry("exceptNamespaces"));
    let Some(first) = own.as_ref().or(except.as_ref()) else { return Ok(None) };
    // A server selects objects without a namespace whatever the selector, but Namespaces by their own labels.
    // admission/plugin/webhook/predicates/namespace/matcher.go, MatchNamespaceSelector
    if !subject.version.is_namespaced && subject.version.kind != "Namespace" {
        let message = format!("objects of the kind `{}` have no namespace", subject.version.kind);
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(first.key.span(), message));
        return Err(());
    }
    let mut draft = SelectorDraft::default();
    if let Some(own) = own {
        read_own_namespaces(own.value, &mut draft, findings)?;
    }
    if let Some(except) = except {
        let names = read_namespace_names(except.value, "exceptNamespaces", findings)?;
        draft.require(NAME_LABEL, "NotIn", &names);
    }
    Ok(Some(draft.into_selector()))
}

/// `[shop, web]`, `{names: [shop, web]}`, `{labels: {…}}`, or both.
fn read_own_namespaces(
    node: Node<'_>,
    draft: &mut SelectorDraft,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), ()> {
    if node.is_list() {
        let names = read_namespace_names(node, "namespaces", findings)?;
        draft.require(NAME_LABEL, "In", &names);
        return Ok(());
    }
    if !check_mapping(findings, node, "`namespaces`", &["names", "labels"]) {
        return Err(());
    }
    let (names, labels) = (node.get("names"), node.get("labels"));
    if names.is_none() && labels.is_none() {
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(node.span(), "`namespaces` selects nothing");
        findings.push(finding.with_help("list names of namespaces, or add `labels`"));
        return Err(());
    }
    if let Some(names) = names {
        draft.require(NAME_LABEL, "In", &read_namespace_names(names, "names", findings)?);
    }
    labels.map_or(Ok(()), |labels| read_entries(labels, draft, findings))
}

fn read_namespace_names(
    node: Node<'_>,
    key: &str,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<String>, ()> {
    let names = read_list(node, key, findings)?;
    let wrong = names.iter().zip(node.items()).find(|(name, _)| !ValueFormat::DnsLabel.is_of(name));
    if let Some((name, item)) = wrong {
        let message = format!("`{name}` is not the name of a namespace");
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(item.span(), message);
        findings
            .push(finding.with_help("names are written out, without `*`; select several by their `labels`"));
        return Err(());
    }
    Ok(names)
}

/// Reads the labels of objects as a selector; an error if they are wrong.
pub(crate) fn read_labels(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Result<Json, ()> {
    let mut draft = SelectorDraft::default();
    read_entries(node, &mut draft, findings)?;
    Ok(draft.into_selector())
}

fn read_entries(node: Node<'_>, draft: &mut SelectorDraft, findings: &mut Vec<Diagnostic>) -> Result<(), ()> {
    let mut count = 0;
    for entry in node.entries_with_merged() {
        count += 1;
        let key = entry.key.text();
        check_name(key, entry.key.span(), findings)?;
        read_requirement(key, entry.value, draft, findings)?;
    }
    if count == 0 {
        return refuse(node.span(), "`labels` must map names of labels to values", findings);
    }
    Ok(())
}

/// The values of one label: one text, a list of texts, `{notIn: […]}` or `{exists: …}`.
fn read_requirement(
    key: &str,
    node: Node<'_>,
    draft: &mut SelectorDraft,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), ()> {
    if let Some(text) = node.as_str() {
        check_value(text, node.span(), findings)?;
        draft.equal.insert(key.to_owned(), text.into());
        return Ok(());
    }
    if node.is_list() {
        draft.require(key, "In", &read_values(node, key, findings)?);
        return Ok(());
    }
    if !node.is_map() {
        let finding = lints::RULE_SET_SHAPE
            .diagnostic_at(node.span(), format!("the value of the label `{key}` must be a string"));
        let quoted = matches!(node.kind(), SyntaxKind::True | SyntaxKind::False | SyntaxKind::Number);
        findings.push(finding.help_if(quoted.then(|| format!("write `\"{}\"`", node.text()))));
        return Err(());
    }
    if !check_mapping(findings, node, &format!("the label `{key}`"), &["notIn", "exists"]) {
        return Err(());
    }
    match (node.get("notIn"), node.get("exists").map(|exists| (exists, exists.kind()))) {
        (Some(values), None) => draft.require(key, "NotIn", &read_values(values, "notIn", findings)?),
        (None, Some((_, SyntaxKind::True))) => draft.require(key, "Exists", &[]),
        (None, Some((_, SyntaxKind::False))) => draft.require(key, "DoesNotExist", &[]),
        (None, Some((exists, _))) => return refuse(exists.span(), "`exists` is `true` or `false`", findings),
        _ => {
            let finding = lints::RULE_SET_SHAPE
                .diagnostic_at(node.span(), format!("the label `{key}` has one requirement"));
            findings
                .push(finding.with_help("write a text, a list of texts, `{notIn: […]}` or `{exists: true}`"));
            return Err(());
        }
    }
    Ok(())
}

fn read_values(node: Node<'_>, key: &str, findings: &mut Vec<Diagnostic>) -> Result<Vec<String>, ()> {
    let values = read_list(node, key, findings)?;
    for (value, item) in values.iter().zip(node.items()) {
        check_value(value, item.span(), findings)?;
    }
    Ok(values)
}

fn read_list(node: Node<'_>, key: &str, findings: &mut Vec<Diagnostic>) -> Result<Vec<String>, ()> {
    let texts: Option<Vec<String>> = node.items().map(|item| item.as_str().map(str::to_owned)).collect();
    match texts.filter(|texts| node.is_list() && !texts.is_empty()) {
        Some(texts) => Ok(texts),
        None => refuse(node.span(), &format!("`{key}` must be a list of strings"), findings),
    }
}

/// A server accepts no policy that selects by another value.
fn check_value(value: &str, span: Span, findings: &mut Vec<Diagnostic>) -> Result<(), ()> {
    let problems = label_value(value);
    let Some(problem) = problems.first() else { return Ok(()) };
    let finding = lints::RULE_SET_SHAPE.diagnostic_at(span, format!("`{value}` is not a value of a label"));
    findings.push(finding.with_help(problem.clone()));
    Err(())
}

fn check_name(name: &str, span: Span, findings: &mut Vec<Diagnostic>) -> Result<(), ()> {
    let problems = qualified_name(name);
    let Some(problem) = problems.first() else { return Ok(()) };
    let finding = lints::RULE_SET_SHAPE.diagnostic_at(span, format!("`{name}` is not the name of a label"));
    findings.push(finding.with_help(problem.clone()));
    Err(())
}

fn refuse<T>(span: Span, message: &str, findings: &mut Vec<Diagnostic>) -> Result<T, ()> {
    findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message));
    Err(())
}
