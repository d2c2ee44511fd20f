//! Reading of documents.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_generate::schema_at_place;
use kvrules_syntax::{Document, Node, SyntaxKind};
use serde_json::Value as Json;

use crate::condition::Condition;
use crate::describe::describe_rule;
use crate::examples::{check_examples, read_examples};
use crate::lints;
use crate::lower::to_cel;
use crate::path::{PathStep, RulePath};
use crate::place::choose_place;
use crate::reader::{ConditionReader, check_mapping};
use crate::review::review_rules;
use crate::rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use crate::shape;
use crate::subject::{RuleSubject, UnknownSubject, split_api_version};

const API_GROUP: &str = "kvrules.dev";
const API_VERSION: &str = "kvrules.dev/v1alpha1";

/// The definitions that subjects may be of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectDefinitions {
    /// The definitions in the file that `subject.schema` names, or why there are none.
    pub of_file: BTreeMap<String, Result<Vec<Json>, String>>,
    /// Other definitions of the run.
    pub of_run: Vec<Json>,
}

impl SubjectDefinitions {
    /// The definitions in a file that a subject names.
    fn named(&self, file: &str) -> Result<&[Json], UnknownSubject> {
        match self.of_file.get(file) {
            Some(Ok(of_file)) => Ok(of_file),
            Some(Err(cause)) => Err(UnknownSubject { message: cause.clone(), help: None }),
            None => Err(UnknownSubject { message: format!("`{file}` was not read"), help: None }),
        }
    }
}

/// True for a document of kind RuleSet, of whatever version.
pub fn is_rule_set(document: &Document<'_>) -> bool {
    let Some(root) = document.root() else { return false };
    let text = |key: &str| root.get(key).and_then(Node::as_str);
    let is_ours = text("apiVersion").is_some_and(|version| split_api_version(version).0 == API_GROUP);
    text("kind") == Some("RuleSet") && is_ours
}

/// Returns the file with the definition of a document's subject, as it is written.
pub fn subject_file(document: &Document<'_>) -> Option<String> {
    let subject = document.root()?.get("spec")?.get("subject")?;
    subject.get("schema").and_then(Node::as_str).map(str::to_owned)
}

/// Reads a document; `None` if it has no subject, or no rules. Rules with errors are left out.
pub fn read_rule_set(
    document: &Document<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSet> {
    let root = document.root()?;
    let set = read_root(root, definitions, findings);
    findings.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    set
}

fn read_root(
    root: Node<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSet> {
    check_mapping(findings, root, "a RuleSet", &["apiVersion", "kind", "metadata", "spec"]);
    let version = root.get("apiVersion")?;
    if version.as_str() != Some(API_VERSION) {
        let finding = lints::RULE_SET_SHAPE
            .diagnostic_at(version.span(), format!("unknown version `{}` of RuleSets", version.text()));
        findings.push(finding.with_help(format!("write `{API_VERSION}`")));
        return None;
    }
    let name = read_name(root, findings);
    let spec = require(root, "spec", "a RuleSet", findings)?;
    if !check_mapping(findings, spec, "`spec`", &["subject", "match", "rules", "examples"]) && !spec.is_map()
    {
        return None;
    }
    let subject = require(spec, "subject", "`spec`", findings);
    let rules = require(spec, "rules", "`spec`", findings);
    let subject = read_subject(subject?, root, definitions, findings)?;
    let rules = rules?;
    if !rules.is_list() || rules.items().next().is_none() {
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(rules.span(), "`rules` must be a list of rules"));
        return None;
    }
    let before = findings.len();
    let selection = spec.get("match").and_then(|selected| read_selection(selected, findings));
    let read = read_rules(rules, &subject, findings);
    let mut set = RuleSet {
        name: name.unwrap_or_default(),
        span: first_key(root),
        subject,
        rules: read,
        selection,
        examples: Vec::new(),
    };
    let is_whole = findings.len() == before;
    review_rules(&set, findings);
    if let Some(examples) = spec.get("examples") {
        set.examples = read_examples(examples, &set, findings);
        // The verdict of an example depends on all rules.
        if is_whole {
            check_examples(&set, findings);
        }
    }
    Some(set)
}

fn first_key(node: Node<'_>) -> Span {
    node.entries().next().map_or(node.span(), |entry| entry.key.span())
}

/// The value of a key that must be there.
fn require<'d>(node: Node<'d>, key: &str, what: &str, findings: &mut Vec<Diagnostic>) -> Option<Node<'d>> {
    let found = node.get(key).filter(|value| value.kind() != SyntaxKind::Null);
    if found.is_none() {
        let message = format!("missing `{key}` in {what}");
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(first_key(node), message));
    }
    found
}

fn read_name(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<String> {
    let metadata = require(root, "metadata", "a RuleSet", findings)?;
    check_mapping(findings, metadata, "`metadata`", &["name", "labels", "annotations"]);
    let name = require(metadata, "name", "`metadata`", findings)?;
    let text = name.as_str().unwrap_or_default();
    if !crate::condition::ValueFormat::DnsSubdomain.is_of(text) {
        let message = "the name of a RuleSet must be a DNS subdomain, such as `web-tier`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(name.span(), message));
        return None;
    }
    Some(text.to_owned())
}

fn read_subject(
    node: Node<'_>,
    root: Node<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    if !check_mapping(findings, node, "`subject`", &["apiVersion", "kind", "schema"]) && !node.is_map() {
        return None;
    }
    if let Some(file) = node.get("schema").and_then(Node::as_str)
        && node.get("apiVersion").is_none()
        && node.get("kind").is_none()
    {
        return read_only_subject(node, file, definitions, findings);
    }
    let version = require(node, "apiVersion", "`subject`", findings);
    let kind = require(node, "kind", "`subject`", findings);
    let (version, kind) = (version?, kind?);
    let (Some(api_version), Some(kind_name)) = (version.as_str(), kind.as_str()) else {
        let span = if version.as_str().is_none() { version.span() } else { kind.span() };
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, "`apiVersion` and `kind` must be strings"));
        return None;
    };
    let found = match node.get("schema").and_then(Node::as_str) {
        Some(file) => definitions
            .named(file)
            .and_then(|of_file| RuleSubject::of_definitions(of_file, api_version, kind_name)),
        None => find_subject(definitions, api_version, kind_name, root),
    };
    match found {
        Ok(subject) => Some(subject),
        Err(unknown) => {
            let span = node.get("schema").map_or(kind.span(), Node::span);
            findings.push(lints::UNKNOWN_SUBJECT.diagnostic_at(span, unknown.message).help_if(unknown.help));
            None
        }
    }
}

/// The subject of a file with one definition: its storage version.
fn read_only_subject(
    node: Node<'_>,
    file: &str,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    let found = definitions.named(file).and_then(RuleSubject::of_only_definition);
    let span = node.get("schema").map_or(node.span(), Node::span);
    found
        .map_err(|unknown| {
            findings.push(lints::UNKNOWN_SUBJECT.diagnostic_at(span, unknown.message).help_if(unknown.help));
        })
        .ok()
}

/// The objects that `match` selects, as fields of the match constraints of a policy.
fn read_selection(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Json> {
    if !check_mapping(findings, node, "`match`", &["namespaces", "labels"]) {
        return None;
    }
    let mut selection = serde_json::Map::new();
    if let Some(namespaces) = node.get("namespaces")
        && check_mapping(findings, namespaces, "`namespaces`", &["labels"])
        && let Some(labels) = require(namespaces, "labels", "`namespaces`", findings)
    {
        selection.insert("namespaceSelector".to_owned(), read_labels(labels, findings)?);
    }
    if let Some(labels) = node.get("labels") {
        selection.insert("objectSelector".to_owned(), read_labels(labels, findings)?);
    }
    if selection.is_empty() {
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(node.span(), "`match` selects nothing");
        findings.push(finding.with_help("add `namespaces` or `labels`, or leave it out for all objects"));
        return None;
    }
    Some(Json::Object(selection))
}

/// Labels as a selector.
fn read_labels(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Json> {
    let labels: Option<serde_json::Map<_, _>> = node
        .entries_with_merged()
        .map(|entry| Some((entry.key.text().to_owned(), Json::from(entry.value.as_str()?))))
        .collect();
    let labels = labels.filter(|labels| !labels.is_empty());
    if labels.is_none() {
        let message = "`labels` must map names of labels to strings";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
    }
    labels.map(|labels| serde_json::json!({ "matchLabels": labels }))
}

/// The subject among the kinds of Kubernetes, or among the definitions of the run.
fn find_subject(
    definitions: &SubjectDefinitions,
    api_version: &str,
    kind: &str,
    root: Node<'_>,
) -> Result<RuleSubject, UnknownSubject> {
    let mut names = BTreeSet::new();
    collect_names(root, &mut names);
    let of_run = RuleSubject::of_definitions(&definitions.of_run, api_version, kind);
    of_run.or_else(|_| RuleSubject::built_in(api_version, kind, &names))
}

/// The words in all strings, among them the names of all fields of paths.
fn collect_names<'d>(node: Node<'d>, names: &mut BTreeSet<&'d str>) {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$';
    if node.as_str().is_some() {
        names.extend(node.text().split(is_end).filter(|name| !name.is_empty()));
    }
    for item in node.items() {
        collect_names(item, names);
    }
    for entry in node.entries() {
        names.extend(entry.key.text().split(is_end).filter(|name| !name.is_empty()));
        collect_names(entry.value, names);
    }
}

fn read_rules(rules: Node<'_>, subject: &RuleSubject, findings: &mut Vec<Diagnostic>) -> Vec<AuthoredRule> {
    let mut read: Vec<AuthoredRule> = Vec::new();
    let mut known = BTreeSet::new();
    for node in rules.items() {
        if !node.is_map() {
            let message = "a rule must be a mapping with a `name` and the words of the rule";
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
            continue;
        }
        let Some(name) = read_rule_name(node, findings) else { continue };
        if !known.insert(name.clone()) {
            let span = node.get("name").map_or(node.span(), Node::span);
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, format!("duplicate rule name `{name}`")));
            continue;
        }
        read.extend(read_rule(node, name, subject, findings));
    }
    read
}

fn read_rule_name(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<String> {
    let name = require(node, "name", "the rule", findings)?;
    let text = name.as_str().filter(|text| !text.trim().is_empty() && !text.contains(['\n', '\r']));
    if text.is_none() {
        findings.push(
            lints::RULE_SET_SHAPE.diagnostic_at(name.span(), "the name of a rule must be one line of text"),
        );
    }
    text.map(str::to_owned)
}

/// Reads a document that is one entry of `spec.rules`, about a known subject; `None` if it has an error.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_rule_set::{RuleSubject, read_single_rule};
///
/// let subject = RuleSubject::built_in("apps/v1", "Deployment", &["spec", "replicas"].into()).unwrap();
/// let text = "{name: replicas, path: spec.replicas, integer: {min: 2}}";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let rule = read_single_rule(&stream.documents[0], &subject, &mut Vec::new()).unwrap();
/// assert_eq!(rule.expression, "self >= 2");
/// ```
pub fn read_single_rule(
    document: &Document<'_>,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let node = document.root()?;
    let name = read_rule_name(node, findings)?;
    read_rule(node, name, subject, findings).filter(|_| findings.is_empty())
}

/// The keys of a rule that are not words.
const RULE_KEYS: &[&str] = &["name", "each", "path", "when", "message", "severity"];

fn read_rule(
    node: Node<'_>,
    name: String,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let severity = read_severity(node, findings);
    let message = read_message(node, findings);
    let (scope, schema) = read_scope(node, subject, findings)?;
    let mut reader = ConditionReader::new(findings, subject, scope.clone(), schema);
    let demand = reader.read_words(node, RULE_KEYS);
    let when = node.get("when").map(|when| reader.read_when(when));
    let demand = demand?;
    if demand.reads_stored() && scope.has_each() {
        let span = node.get("each").map_or(node.span(), Node::span);
        let message = "an update is compared as a whole object, and not item by item";
        findings.push(lints::RULE_UPDATE.diagnostic_at(span, message));
        return None;
    }
    let condition = match when {
        None => demand,
        Some(None) => return None,
        Some(Some(when)) => {
            let mut parts = vec![Condition::Not(Box::new(when))];
            match demand {
                Condition::Any(any) => parts.extend(any),
                demand => parts.push(demand),
            }
            Condition::Any(parts)
        }
    };
    let message = message.unwrap_or_else(|| describe_rule(&scope, &condition));
    build_rule(node, name, (severity?, message), (scope, condition), subject, findings)
}

fn build_rule(
    node: Node<'_>,
    name: String,
    (severity, message): (RuleSeverity, String),
    (scope, condition): (RulePath, Condition),
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let schema = &subject.schema;
    let placed = choose_place(&scope, &condition, schema);
    let at_place = schema_at_place(schema, &placed.place)?;
    let span = node.get("name").map_or(node.span(), Node::span);
    let Some(expression) = to_cel(&placed.condition, at_place) else {
        findings
            .push(lints::WORD_TYPE.diagnostic_at(span, "the schema declares no type for a path of the rule"));
        return None;
    };
    let (place, placed) = (placed.place, placed.condition);
    Some(AuthoredRule { name, span, severity, scope, condition, message, place, placed, expression })
}

fn read_scope<'s>(
    node: Node<'_>,
    subject: &'s RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<(RulePath, &'s Json)> {
    let schema = &subject.schema;
    let Some(each) = node.get("each") else { return Some((RulePath::default(), schema)) };
    let mut reader = ConditionReader::new(findings, subject, RulePath::default(), schema);
    let target = reader.read_any_path(each)?;
    // apiextensions schema/validation.go, validateMetadata
    if target.path.0.first() == Some(&PathStep::Field("metadata".to_owned())) {
        let message = "`each` cannot lead into `metadata`, in which a definition has no rules";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(each.span(), message));
        return None;
    }
    let crosses_key = (1..=target.path.0.len()).any(|count| {
        let before = RulePath(target.path.0.iter().take(count - 1).cloned().collect());
        let step = target.path.0.get(count - 1);
        matches!(step, Some(PathStep::Field(_)))
            && shape::schema_at(schema, &before).is_some_and(shape::is_map)
    });
    if crosses_key {
        findings.push(
            lints::RULE_SET_SHAPE.diagnostic_at(each.span(), "`each` cannot lead through a key of a map"),
        );
        return None;
    }
    let items = shape::schema_at(schema, &target.path)?;
    Some((target.path, items))
}

fn read_severity(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<RuleSeverity> {
    let Some(severity) = node.get("severity") else { return Some(RuleSeverity::default()) };
    let found = RuleSeverity::ALL.iter().find(|(name, _)| severity.as_str() == Some(name));
    if found.is_none() {
        let message = "`severity` must be `error`, `warn` or `audit`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(severity.span(), message));
    }
    found.map(|(_, severity)| *severity)
}

/// Bytes of a message, as servers limit them.
// apiextensions validation.go, ValidateCustomResourceDefinitionOpenAPISchema: message
const MOST_BYTES: usize = 2048;

fn read_message(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<String> {
    let message = node.get("message")?;
    let text = message.as_str().unwrap_or_default();
    let problem = if text.trim().is_empty() {
        "`message` must be a text"
    } else if text.contains('\n') {
        "`message` must be one line"
    } else if text.len() > MOST_BYTES {
        "`message` must not have more than 2048 bytes"
    } else {
        return Some(text.to_owned());
    };
    findings.push(lints::RULE_SET_SHAPE.diagnostic_at(message.span(), problem));
    None
}
