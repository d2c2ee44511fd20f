//! Reading of documents.

use std::collections::HashMap;

use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_diagnostics::Diagnostic;
use kvrules_syntax::{Document, Node};

use crate::evaluation_memory::EvaluationMemory;
use crate::examples::{check_examples, read_examples};
use crate::include::{self, IncludedReader, report_duplicates};
use crate::lints;
use crate::mapping::{check_mapping, first_key, require};
use crate::parameters::{ParameterView, RuleSetParameters, read_parameters, report_unused};
use crate::path::RulePath;
use crate::raw_defaults::default_violation;
use crate::reader::RuleContext;
use crate::review::review_rules;
use crate::rule_reader::read_rules;
use crate::rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use crate::selection::read_selection;
use crate::subject::RuleSubject;
use crate::subject_definitions::SubjectDefinitions;
use crate::subject_reader::{find_subject, read_subject};

const API_VERSION: &str = "kvrules.dev/v1alpha1";

/// Returns the file with the definition of a document's subject, as it is written.
pub fn subject_file(document: &Document<'_>) -> Option<String> {
    let subject = document.root()?.get("spec")?.get("subject")?;
    subject.get("schema").and_then(Node::as_str).map(str::to_owned)
}

/// Returns the files that a document includes, as they are written.
pub fn included_files(document: &Document<'_>) -> Vec<String> {
    let spec = document.root().and_then(|root| root.get("spec"));
    spec.map(include::included_files).unwrap_or_default()
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
    let keys = ["subject", "match", "parameters", "parametersFrom", "include", "rules", "examples"];
    if !check_mapping(findings, spec, "`spec`", &keys) && !spec.is_map() {
        return None;
    }
    let subject = require(spec, "subject", "`spec`", findings);
    let rules = match spec.get("include") {
        Some(_) => spec.get("rules"),
        None => Some(require(spec, "rules", "`spec`", findings)?),
    };
    let mut subject = read_subject(subject?, root, definitions, findings)?;
    check_policy_keys(spec, &subject, findings);
    if let Some(rules) = rules.filter(|rules| !has_items(*rules)) {
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(rules.span(), "`rules` must be a list of rules"));
        return None;
    }
    let before = findings.len();
    let selection = spec.get("match").and_then(|selected| read_selection(selected, &subject, findings));
    subject.stand_for_selected(selection.as_ref());
    let find_kind = |api_version: &str, kind: &str| find_subject(definitions, api_version, kind, root).ok();
    let parameters = read_parameters(spec, &definitions.parameters, &subject, &find_kind, findings);
    let all = AllRules { spec, rules, definitions, subject: &subject };
    let read = all.read_all(&parameters, findings);
    let mut set = RuleSet {
        name: name.unwrap_or_default(),
        span: first_key(root),
        rules: read,
        subject,
        selection,
        examples: Vec::new(),
        parameters,
        memory: EvaluationMemory::default(),
    };
    let is_whole = findings.len() == before;
    review_rules(&set, findings);
    check_operations(&set, findings);
    check_defaults(&set, findings);
    if let Some(examples) = spec.get("examples") {
        set.examples = read_examples(examples, &set, findings);
        // The verdict of an example depends on all rules.
        if is_whole {
            check_examples(&set, findings);
        }
    }
    Some(set)
}

/// Reports keys about requests if the rules are about documents, which no server receives.
fn check_policy_keys(spec: Node<'_>, subject: &RuleSubject, findings: &mut Vec<Diagnostic>) {
    for entry in ["match", "parametersFrom"].into_iter().filter_map(|key| spec.entry(key)) {
        if subject.is_of_documents() {
            let message = format!(
                "`{}` is about requests to a server, and the subject is a JSON Schema",
                entry.key.text()
            );
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(entry.key.span(), message));
        }
    }
}

/// The rules of a document and of those that it includes.
struct AllRules<'a> {
    spec: Node<'a>,
    rules: Option<Node<'a>>,
    definitions: &'a SubjectDefinitions,
    subject: &'a RuleSubject,
}

impl AllRules<'_> {
    /// Reads the rules; those with parameters get their form for policies.
    fn read_all(&self, parameters: &RuleSetParameters, findings: &mut Vec<Diagnostic>) -> Vec<AuthoredRule> {
        let before = findings.len();
        let mut read = self.read_with(ParameterView { parameters, is_symbolic: false }, findings);
        let is_whole = findings.len() == before;
        report_duplicates(&mut read, findings);
        if parameters.list.is_empty() {
            return read;
        }
        let symbolic = self.read_with(ParameterView { parameters, is_symbolic: true }, &mut Vec::new());
        let mut texts = Vec::new();
        let mut by_name: HashMap<String, &mut AuthoredRule> =
            read.iter_mut().map(|own| (own.name.clone(), own)).collect();
        for rule in &symbolic {
            texts.extend([rule.expression.clone(), rule.message.clone()]);
            let Some(own) = by_name.get_mut(&rule.name) else { continue };
            if !parameters.occur_in(&rule.expression) {
                continue;
            }
            if parameters.with_values(&rule.expression) != own.expression || rule.place != own.place {
                let message =
                    format!("the rule `{}` has another form with other values of its parameters", own.name);
                let finding = lints::RULE_EXPRESSION.diagnostic_at(own.span, message);
                findings.push(finding.with_help("write the limit as a value"));
            }
            own.symbolic = Some(rule.to_entry());
        }
        // A rule that could not be read may use any of them.
        if is_whole {
            report_unused(parameters, &texts, findings);
        }
        read
    }

    fn read_with(&self, view: ParameterView<'_>, findings: &mut Vec<Diagnostic>) -> Vec<AuthoredRule> {
        let subject = self.subject;
        let read = |rules: Node<'_>, prefix: &RulePath, findings: &mut Vec<Diagnostic>| {
            read_rules(rules, RuleContext { subject, view, prefix }, findings)
        };
        let own = self.rules.map(|rules| read(rules, &RulePath::default(), findings));
        let mut rules = own.unwrap_or_default();
        let included = IncludedReader::new(self.definitions, subject, &read);
        rules.extend(included.read_included(self.spec, findings));
        rules
    }
}

/// Reports rules about updates if there are none: `match` selects creations alone, or no server stores the objects.
fn check_operations(set: &RuleSet, findings: &mut Vec<Diagnostic>) {
    let has_updates = set.selection.as_ref().is_none_or(|selection| selection.selects_operation("UPDATE"));
    for rule in set.rules.iter().filter(|rule| rule.condition.reads_stored()) {
        if set.subject.is_of_documents() {
            let message =
                format!("the rule `{}` is about updates, and a document has no stored form", rule.name);
            findings.push(lints::RULE_UPDATE.diagnostic_at(rule.span, message));
        }
        if has_updates {
            continue;
        }
        let message = format!("`match` selects no updates, which the rule `{}` is about", rule.name);
        findings.push(lints::RULE_UPDATE.diagnostic_at(rule.span, message));
    }
}

/// Reports defaults of the definition that violate a rule.
fn check_defaults(set: &RuleSet, findings: &mut Vec<Diagnostic>) {
    let Some(definition) = &set.subject.definition else { return };
    let version = &set.subject.version.version;
    for rule in set.rules.iter().filter(|rule| rule.severity == RuleSeverity::Error) {
        let entry = (rule.place.as_slice(), &rule.to_entry());
        let Some(error) = default_violation(definition, version, entry, KubernetesVersions::default()) else {
            continue;
        };
        let field = path_of_error(&error.field);
        let message = format!("the default of `{field}` violates the rule `{}`", rule.name);
        let help = "change the default, or the rule so that the default passes";
        findings.push(lints::VIOLATED_DEFAULT.diagnostic_at(rule.span, message).with_help(help));
    }
}

/// The path of the field that an error of a server about its default names: `…properties[spec].properties[depth].default`.
fn path_of_error(field: &str) -> String {
    let names = field.split("properties[").skip(1).filter_map(|part| part.split(']').next());
    let names: Vec<&str> = names.collect();
    if names.is_empty() { field.to_owned() } else { names.join(".") }
}

fn has_items(node: Node<'_>) -> bool {
    node.is_list() && node.items().next().is_some()
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
