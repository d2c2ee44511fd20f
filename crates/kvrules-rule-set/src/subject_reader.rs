//! Reading of `subject`: the objects that the rules of a document are about.

use std::collections::BTreeSet;

use kvrules_diagnostics::{Diagnostic, FileId, suggest_nearest};
use kvrules_syntax::Node;

use crate::lints;
use crate::mapping::{check_mapping, require};
use crate::subject::RuleSubject;
use crate::subject_definitions::{SubjectDefinitions, SubjectFile};
use crate::unknown_subject::UnknownSubject;

/// The keys of a subject that is a mapping.
const KEYS: &[&str] = &["apiVersion", "kind", "schema", "component"];

/// Keys that authors write for `schema`.
const OTHER_NAMES: &[&str] =
    &["definition", "crd", "file", "jsonSchema", "openapi", "customResourceDefinition"];

/// The subject that stands for objects of any kind.
pub(crate) const ANY: &str = "any";

pub(crate) fn read_subject(
    node: Node<'_>,
    root: Node<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    if let Some(word) = node.as_str() {
        return read_word(node, word, root, definitions, findings);
    }
    if let Some(entry) = OTHER_NAMES.iter().find_map(|name| node.entry(name)) {
        let message = format!("unknown key `{}` in `subject`", entry.key.text());
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(entry.key.span(), message);
        findings.push(finding.with_help("`schema` names the file with the definition or the JSON Schema"));
        return None;
    }
    if !check_mapping(findings, node, "`subject`", KEYS) && !node.is_map() {
        return None;
    }
    let file = match node.get("schema") {
        Some(file) if file.as_str().is_none() => {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(file.span(), "`schema` must name a file"));
            return None;
        }
        file => file.and_then(|file| Some((file, file.as_str()?))),
    };
    let Some((file, name)) = file else { return read_kind(node, root, definitions, findings) };
    let found = match definitions.named(name) {
        Ok(SubjectFile::Schemas(schemas)) => {
            if node.get("apiVersion").is_some() || node.get("kind").is_some() {
                let finding = lints::UNKNOWN_SUBJECT
                    .diagnostic_at(file.span(), format!("`{name}` has no CustomResourceDefinition"));
                findings.push(finding.with_help("leave out `apiVersion` and `kind` if it is a JSON Schema"));
                return None;
            }
            let component = read_component(node, findings).ok()?;
            with_names(definitions, root, |mentioned| {
                RuleSubject::of_documents(schemas, name, component, &mentioned.names, mentioned.most_steps())
            })
        }
        Ok(SubjectFile::Definitions(of_file)) => {
            if let Some(component) = node.entry("component") {
                let message = "`component` names a schema of a JSON Schema or OpenAPI file, and this file has definitions";
                let finding = lints::RULE_SET_SHAPE.diagnostic_at(component.key.span(), message);
                findings.push(finding.with_help("name the version with `apiVersion` and `kind`"));
                return None;
            }
            if node.get("apiVersion").is_none() && node.get("kind").is_none() {
                RuleSubject::of_only_definition(of_file)
            } else {
                let (api_version, kind) = read_names(node, findings)?;
                RuleSubject::of_definitions(of_file, api_version, kind)
            }
        }
        Err(unknown) => Err(unknown),
    };
    // The help of a component that is not there is about its name.
    let at = node.get("component").unwrap_or(file);
    report_unknown(found, at, findings)
}

fn read_word(
    node: Node<'_>,
    word: &str,
    root: Node<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    if word == ANY {
        let any = with_names(definitions, root, |mentioned| RuleSubject::of_any_kind(&mentioned.names));
        return report_unknown(any, node, findings);
    }
    let finding = lints::RULE_SET_SHAPE.diagnostic_at(node.span(), format!("unknown subject `{word}`"));
    let advice =
        "write `any`, or a mapping such as `{apiVersion: apps/v1, kind: Deployment}` or `{schema: FILE}`";
    findings.push(finding.with_help(suggest_nearest(word, [ANY]).unwrap_or_else(|| advice.to_owned())));
    None
}

fn read_kind(
    node: Node<'_>,
    root: Node<'_>,
    definitions: &SubjectDefinitions,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    if let Some(component) = node.entry("component") {
        let message = "`component` names a schema of a file; add the file as `schema`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(component.key.span(), message));
        return None;
    }
    let (api_version, kind) = read_names(node, findings)?;
    let found = find_subject(definitions, api_version, kind, root);
    report_unknown(found, node.get("kind").unwrap_or(node), findings)
}

/// Reads the name of a schema; an error if it is none.
fn read_component<'d>(node: Node<'d>, findings: &mut Vec<Diagnostic>) -> Result<Option<&'d str>, ()> {
    let Some(component) = node.get("component") else { return Ok(None) };
    let text = component.as_str().filter(|text| !text.is_empty());
    if text.is_none() {
        let message = "`component` must be the name of a schema, or a JSON pointer";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(component.span(), message));
        return Err(());
    }
    Ok(text)
}

fn read_names<'d>(node: Node<'d>, findings: &mut Vec<Diagnostic>) -> Option<(&'d str, &'d str)> {
    let version = require(node, "apiVersion", "`subject`", findings);
    let kind = require(node, "kind", "`subject`", findings);
    let (version, kind) = (version?, kind?);
    let names = version.as_str().zip(kind.as_str());
    if names.is_none() {
        let span = if version.as_str().is_none() { version.span() } else { kind.span() };
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, "`apiVersion` and `kind` must be strings"));
    }
    names
}

fn report_unknown(
    found: Result<RuleSubject, UnknownSubject>,
    at: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<RuleSubject> {
    found
        .map_err(|unknown| {
            findings
                .push(lints::UNKNOWN_SUBJECT.diagnostic_at(at.span(), unknown.message).help_if(unknown.help));
        })
        .ok()
}

/// The names in a document and in those that it includes, and the number of steps that paths have at most.
#[derive(Debug, Default)]
pub(crate) struct MentionedNames<'d> {
    pub(crate) names: BTreeSet<&'d str>,
    /// The longest path, the longest one that others start from, and the longest one from the items of a path.
    steps: (usize, usize, usize),
}

impl MentionedNames<'_> {
    /// The number of steps from the object that no path exceeds.
    pub(crate) fn most_steps(&self) -> usize {
        self.steps.0 + self.steps.1 + self.steps.2
    }
}

/// Calls `find` with all names in a document and in those that it includes.
fn with_names<T>(
    definitions: &SubjectDefinitions,
    root: Node<'_>,
    find: impl FnOnce(&MentionedNames<'_>) -> T,
) -> T {
    let mut names = MentionedNames::default();
    collect_names(root, &mut names);
    let texts = definitions.included.values().filter_map(|text| text.as_ref().ok());
    let streams: Vec<_> = texts.map(|text| kvrules_syntax::parse_stream(FileId(0), text)).collect();
    for document in streams.iter().flat_map(|stream| &stream.documents) {
        document.root().into_iter().for_each(|root| collect_names(root, &mut names));
    }
    find(&names)
}

/// The subject among the kinds of Kubernetes, or among the definitions of the run.
pub(crate) fn find_subject(
    definitions: &SubjectDefinitions,
    api_version: &str,
    kind: &str,
    root: Node<'_>,
) -> Result<RuleSubject, UnknownSubject> {
    let of_run = RuleSubject::of_definitions(&definitions.of_run, api_version, kind);
    of_run.or_else(|_| {
        with_names(definitions, root, |mentioned| {
            RuleSubject::find_known(api_version, kind, &mentioned.names)
        })
    })
}

/// The words in all strings, among them the names of all fields of paths.
fn collect_names<'d>(node: Node<'d>, found: &mut MentionedNames<'d>) {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$';
    if node.as_str().is_some() {
        found.names.extend(node.text().split(is_end).filter(|name| !name.is_empty()));
        found.steps.0 = found.steps.0.max(count_steps(node.text()));
    }
    for item in node.items() {
        collect_names(item, found);
    }
    for entry in node.entries() {
        found.names.extend(entry.key.text().split(is_end).filter(|name| !name.is_empty()));
        if ["each", "under"].contains(&entry.key.text()) {
            // Included files may include others.
            let around = if entry.key.text() == "under" { 2 } else { 1 };
            found.steps.1 = found.steps.1.max(count_steps(entry.value.text()) * around);
        }
        if entry.key.text() == "uniqueBy" {
            let longest = entry.value.items().map(|item| count_steps(item.text())).max().unwrap_or_default();
            found.steps.2 = found.steps.2.max(longest + 1);
        }
        collect_names(entry.value, found);
    }
}

/// The number of steps of a text, if it is a path.
fn count_steps(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'.' | b'[')).count() + 1
}
