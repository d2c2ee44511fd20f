//! Files with rules: definitions, policies with bindings, RuleSets, templates and annotations, as one subject.

use std::path::Path;
use std::sync::Arc;

use kvrules_apiserver::policy::ResourceScope;
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Span};
use serde_json::Value;

use crate::document::{field, text_field};
use crate::files::{ParsedFile, SuiteLibrary, normalize_path, suite_error};
use crate::format::is_kind;
use crate::model::TestSuite;
use crate::policies::{POLICY, bindings_of, documents_of_kind};
use crate::rule_set_files::{is_rule_set, read_rule_sets};
use crate::subject::{DefinitionSubject, PolicySubject, RuleOrigin, Subject, TemplateSubject};

/// A file with rules, and the location that it is named at.
pub(crate) struct RuleFile {
    /// Its path.
    pub(crate) path: std::path::PathBuf,
    /// Location of its name in a suite.
    pub(crate) span: Span,
}

/// Reads the rules of files. What a server refuses is a finding at the document, and a file without rules one at its name.
pub(crate) fn read_rule_files(
    library: &mut SuiteLibrary<'_>,
    files: &[RuleFile],
    suite: &mut TestSuite,
) -> Subject {
    let mut subject = Subject::default();
    let (mut policies, mut bindings) = (Vec::new(), Vec::new());
    let sources = load_sources(library, files);
    for rules in files {
        let path = normalize_path(&rules.path);
        let file = match library.load_file(&rules.path) {
            Ok(file) => file,
            Err(reason) => {
                let message = format!("the file `{}` cannot be read: {reason}", rules.path.display());
                suite.findings.push(suite_error(rules.span, message));
                continue;
            }
        };
        suite.findings.extend(file.unread.iter().cloned());
        let definitions = documents_of_kind(&path, &file, "CustomResourceDefinition");
        let own = documents_of_kind(&path, &file, POLICY);
        let bound = bindings_of(&file);
        let has_sets = file.documents.iter().any(|it| is_rule_set(&it.value));
        if has_sets {
            subject.rule_sets.extend(read_rule_sets(library, &path, &file, &sources, suite));
        } else if definitions.is_empty() && own.is_empty() && bound.is_empty() {
            add_template(library, &path, &file, rules.span, &mut subject, suite);
        }
        subject
            .definitions
            .extend(definitions.into_iter().map(|(origin, it)| Arc::new(DefinitionSubject::new(it, origin))));
        policies.extend(own);
        bindings.extend(bound);
    }
    if !policies.is_empty() {
        let scope = param_scope(&subject, &policies);
        subject.policies = Some(PolicySubject::new(policies, bindings).with_param_scope(scope));
    }
    report_refusals(&subject, suite);
    subject
}

/// The texts of the files that can be read.
fn load_sources(library: &mut SuiteLibrary<'_>, files: &[RuleFile]) -> Vec<SourceFile> {
    let mut sources = Vec::new();
    for rules in files {
        let loaded = library.load_file(&rules.path).ok();
        sources.extend(loaded.and_then(|file| library.copy_source(file.id)));
    }
    sources
}

fn add_template(
    library: &SuiteLibrary<'_>,
    path: &Path,
    file: &ParsedFile,
    span: Span,
    subject: &mut Subject,
    suite: &mut TestSuite,
) {
    let Some(source) = library.sources().get(file.id) else { return };
    let document = file.documents.first().map(|it| it.span).unwrap_or_default();
    let origin = RuleOrigin { path: path.to_owned(), document: 0, file: Some(file.id), span: document };
    match TemplateSubject::read_rules(origin, source) {
        Ok(template) => subject.template = Some(template),
        Err(reason) => {
            let message = format!("no rules in `{}`: {reason}", path.display());
            suite.findings.push(suite_error(span, message));
        }
    }
}

/// The scope of the parameters of policies, if a definition among the rules has it.
fn param_scope(subject: &Subject, policies: &[(RuleOrigin, Value)]) -> Option<ResourceScope> {
    let mut kinds = policies.iter().filter_map(|(_, policy)| policy.pointer("/spec/paramKind"));
    let of_kind =
        |kind: &Value| subject.find_definition(text_field(kind, "apiVersion"), text_field(kind, "kind"));
    let definition = kinds.find_map(of_kind)?;
    match text_field(field(&definition.document, "spec"), "scope") {
        "Cluster" => Some(ResourceScope::Cluster),
        _ => Some(ResourceScope::Namespaced),
    }
}

/// Reports the documents that a server refuses, each at its location.
pub(crate) fn report_refusals(subject: &Subject, suite: &mut TestSuite) {
    for definition in &subject.definitions {
        if let Some(refusal) = definition.list_refusals(KubernetesVersion::NEWEST).first() {
            let message = format!("the server refuses the definition: {refusal}");
            suite.findings.push(suite_error(definition.origin.span, message));
        }
    }
    let Some(policies) = &subject.policies else { return };
    if let Some(refusal) = policies.list_refusals(KubernetesVersion::NEWEST).first() {
        let span = policies.documents().next().map(|(origin, _)| origin.span).unwrap_or_default();
        suite.findings.push(suite_error(span, format!("the server refuses the policy: {refusal}")));
    }
}

/// Notes the policies of cases that a server refuses, each once: the runner of the format evaluates them nevertheless.
pub(crate) fn note_refusals(suite: &mut TestSuite) {
    let mut reported = std::collections::BTreeSet::new();
    let mut notes = Vec::new();
    for policies in suite.cases.iter().filter_map(|case| case.subject.policies.as_ref()) {
        for (origin, document) in policies.documents() {
            if !policies.is_unreviewed() || !reported.insert((origin.clone(), document.to_string())) {
                continue;
            }
            if let Some(refusal) = policies.list_refusals(KubernetesVersion::NEWEST).first() {
                let message =
                    format!("a server refuses the policy, and `{}` evaluates it: {refusal}", suite.format);
                let note = Diagnostic { level: Level::Warning, ..suite_error(origin.span, message) };
                notes.push(note);
            }
        }
    }
    for note in notes {
        if !suite.findings.contains(&note) {
            suite.findings.push(note);
        }
    }
}

/// True if a file may have rules that cases are about.
pub(crate) fn has_rules(file: &ParsedFile) -> bool {
    let kinds = ["CustomResourceDefinition", POLICY, "Template", "VirtualMachineTemplate"];
    let is_annotated = |value: &Value| {
        let annotations = field(field(value, "metadata"), "annotations");
        ["vm.kubevirt.io/validations", "validations"]
            .iter()
            .any(|name| annotations.get(name).is_some() || value.get(name).is_some())
    };
    file.documents.iter().any(|it| {
        kinds.iter().any(|kind| is_kind(&it.value, kind)) || is_annotated(&it.value) || is_rule_set(&it.value)
    })
}
