//! Outline of a file: what it declares, with names and places, for readers who look for something in it.

use kvrules_crd::{LocatedRule, ResourceKind, definition_versions, locate_resources, locate_rules};
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_elaborate::annotation::find_annotations;
use kvrules_rule_set::{is_of_kind, is_rule_set};
use kvrules_syntax::{Document, Node};

use crate::input::with_documents;
use crate::units::RULE_TESTS_KIND;

/// Something that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// Its name; for what has none, its place, such as `validations[0]`.
    pub name: String,
    /// More about it in one line, such as an expression; empty if there is none.
    pub detail: String,
    /// Its kind.
    pub kind: OutlineKind,
    /// All of it.
    pub span: Span,
    /// Its name or its first line.
    pub name_span: Span,
    /// The parts in it.
    pub children: Vec<OutlineEntry>,
}

/// Kind of something that a file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A definition, a policy, a binding, a RuleSet, a suite or an annotation.
    Resource,
    /// A version of a definition.
    Version,
    /// A rule or a validation.
    Rule,
    /// A variable or a parameter.
    Variable,
    /// A condition under which rules are evaluated.
    Condition,
    /// An example or a case of a suite.
    Example,
}

/// Returns the outline of a file, in the order of its text.
///
/// ```
/// use kvrules::{FileId, SourceFile, outline_file};
///
/// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: few}\nspec:\n  \
///     variables: [{name: n, expression: object.spec.replicas}]\n  validations: [{expression: variables.n < 5}]\n";
/// let outline = outline_file(&SourceFile::new(FileId(0), "policy.yaml", text));
/// let names: Vec<_> = outline[0].children.iter().map(|entry| (entry.name.as_str(), entry.detail.as_str())).collect();
/// assert_eq!(outline[0].name, "few");
/// assert_eq!(names, [("n", "object.spec.replicas"), ("validations[0]", "variables.n < 5")]);
/// ```
pub fn outline_file(source: &SourceFile) -> Vec<OutlineEntry> {
    with_documents(source, |file| {
        file.documents.iter().flat_map(|document| outline_document(document)).collect()
    })
}

fn outline_document(document: &Document<'_>) -> Vec<OutlineEntry> {
    let root = document.root();
    if let Some(root) = root.filter(|_| is_rule_set(document)) {
        return vec![outline_rule_set(root)];
    }
    if let Some(root) = root.filter(|_| is_of_kind(document, RULE_TESTS_KIND)) {
        let cases = named_items(root.get("cases"), "cases", OutlineKind::Example, "expect");
        return vec![OutlineEntry { children: cases, ..outline_object(root, "RuleTests") }];
    }
    let resources = locate_resources(document).into_iter().map(|resource| {
        let children = match resource.kind {
            Some(ResourceKind::Definition) => outline_versions(resource.node),
            Some(ResourceKind::Policy) => outline_policy(resource.node),
            Some(ResourceKind::Binding) | None => Vec::new(),
        };
        OutlineEntry { children, ..outline_object(resource.node, resource.name) }
    });
    resources.chain(outline_annotations(document)).collect()
}

/// An object without its parts.
fn outline_object(node: Node<'_>, kind: &str) -> OutlineEntry {
    let name = node.get("metadata").and_then(|metadata| metadata.get("name"));
    OutlineEntry {
        name: name.map_or(kind, Node::text).to_owned(),
        detail: kind.to_owned(),
        kind: OutlineKind::Resource,
        span: node.span(),
        name_span: name.or(node.get("kind")).map_or(node.span().at_start(), |name| within(name, node)),
        children: Vec::new(),
    }
}

fn outline_rule_set(root: Node<'_>) -> OutlineEntry {
    let spec = root.get("spec");
    let list = |key: &str| spec.and_then(|spec| spec.get(key));
    let mut children = Vec::new();
    for parameter in list("parameters").into_iter().flat_map(Node::entries) {
        children.push(OutlineEntry {
            name: parameter.key.text().to_owned(),
            detail: "parameter".to_owned(),
            kind: OutlineKind::Variable,
            span: parameter.key.span().cover_with(within(parameter.value, root)),
            name_span: parameter.key.span(),
            children: Vec::new(),
        });
    }
    children.extend(named_items(list("rules"), "rules", OutlineKind::Rule, "path"));
    for verdict in ["accept", "reject"] {
        let examples = list("examples").and_then(|examples| examples.get(verdict));
        children.extend(named_items(examples, verdict, OutlineKind::Example, "violates"));
    }
    OutlineEntry { children, ..outline_object(root, "RuleSet") }
}

fn outline_policy(policy: Node<'_>) -> Vec<OutlineEntry> {
    let list = |key: &str| policy.get("spec").and_then(|spec| spec.get(key));
    let lists = [
        ("matchConditions", OutlineKind::Condition, "expression"),
        ("variables", OutlineKind::Variable, "expression"),
        ("validations", OutlineKind::Rule, "expression"),
        ("auditAnnotations", OutlineKind::Rule, "valueExpression"),
    ];
    let mut entries: Vec<_> =
        lists.into_iter().flat_map(|(key, kind, detail)| named_items(list(key), key, kind, detail)).collect();
    entries.sort_by_key(|entry| entry.span.start);
    entries
}

fn outline_versions(definition: Node<'_>) -> Vec<OutlineEntry> {
    let version = |version: Node<'_>| {
        let name = version.get("name");
        let rule = |LocatedRule { field, rule, .. }: LocatedRule<'_>| {
            let expression = rule.get("rule");
            OutlineEntry {
                name: if field.is_empty() { "self".to_owned() } else { field },
                detail: expression.map(|node| one_line(node.text())).unwrap_or_default(),
                kind: OutlineKind::Rule,
                span: rule.span(),
                name_span: expression.map_or(rule.span().at_start(), |node| within(node, rule)),
                children: Vec::new(),
            }
        };
        let children = locate_rules(version).into_iter().map(rule).collect();
        OutlineEntry {
            name: name.map_or("version", Node::text).to_owned(),
            detail: "version".to_owned(),
            kind: OutlineKind::Version,
            span: version.span(),
            name_span: name.map_or(version.span().at_start(), |name| within(name, version)),
            children,
        }
    };
    definition_versions(definition).map(version).collect()
}

fn outline_annotations(document: &Document<'_>) -> Vec<OutlineEntry> {
    let entry = |annotation: &kvrules_elaborate::annotation::Annotation<'_>| {
        let item = |(index, rule)| named_item(rule, "rules", index, OutlineKind::Rule, "rule");
        let children = annotation.rules().enumerate().map(item);
        let key = annotation.key.unwrap_or(annotation.value).span();
        OutlineEntry {
            name: annotation.name.clone().unwrap_or_else(|| "rules".to_owned()),
            detail: annotation.key.map(|key| key.text().to_owned()).unwrap_or_default(),
            kind: OutlineKind::Resource,
            span: key.cover_with(annotation.value.span()),
            name_span: key,
            children: children.collect(),
        }
    };
    find_annotations(document).iter().map(entry).collect()
}

/// The items of a list by their names; `detail` is the key with more about each.
fn named_items(list: Option<Node<'_>>, key: &str, kind: OutlineKind, detail: &str) -> Vec<OutlineEntry> {
    let items = list.into_iter().flat_map(Node::items).enumerate().filter(|(_, item)| !item.is_alias());
    items.map(|(index, item)| named_item(item, key, index, kind, detail)).collect()
}

fn named_item(item: Node<'_>, list: &str, index: usize, kind: OutlineKind, detail: &str) -> OutlineEntry {
    let name = item.get("name").or(item.get("key")).filter(|name| !name.text().is_empty());
    OutlineEntry {
        name: name.map_or_else(|| format!("{list}[{index}]"), |name| one_line(name.text())),
        detail: item.get(detail).map(|node| one_line(node.text())).unwrap_or_default(),
        kind,
        span: item.span(),
        name_span: name.map_or(item.span().at_start(), |name| within(name, item)),
        children: Vec::new(),
    }
}

/// The location of a node, or the start of what it should be in: an alias stands for a text elsewhere.
fn within(node: Node<'_>, outer: Node<'_>) -> Span {
    let (span, outer) = (node.span(), outer.span());
    if outer.start <= span.start && span.end <= outer.end { span } else { outer.at_start() }
}

/// A text in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
