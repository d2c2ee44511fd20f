//! Sentences about the rules of a file.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_pages::prose::describe_requirements;
use kvrules_sources::FileReading;
use kvrules_sources::crd::{ResourceKind, RunResources, read_policies};
use kvrules_test::verdicts::Definitions;

use super::{CheckSettings, RuleFacts};
use crate::lift::{explain_policy, explain_rules};

impl CheckSettings {
    /// Returns the rules of a file with the sentences that say what they require, and their locations if they are known. `reading`
    /// is the result of reading the file.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use kvrules::check::CheckSettings;
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let text = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
    /// "#;
    /// let (settings, source) = (CheckSettings::default(), SourceFile::new(FileId(0), "rules.yaml", text));
    /// let mut no_files = |_: &str| Err("there are no files".to_owned());
    /// let checked = settings.check_file(&source, Path::new("/rules.yaml"), &mut no_files)?;
    /// let rules = settings.describe_rules(&source, &checked.reading);
    /// assert!(rules[0].1.sentences[0].starts_with("The number of CPU cores must be at most 2"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn describe_rules(
        &self,
        source: &SourceFile,
        reading: &FileReading,
    ) -> Vec<(Option<Span>, RuleFacts)> {
        let mut described = Vec::new();
        for rule in reading.sets.iter().flat_map(|set| &set.rules) {
            let sentence = describe_requirements(rule, self.catalog.subject()).to_plain();
            described.push((rule.origin.span(), in_words(&rule.name, sentence)));
        }
        for rule in reading.rule_sets.iter().flat_map(|set| &set.rules) {
            described.push((Some(rule.span), in_words(&rule.name, rule.requirement.clone())));
        }
        for version in definition_versions(source, reading) {
            let rules = explain_rules(&version, None);
            described.extend(rules.iter().map(|rule| (None, RuleFacts::from_lift(rule))));
        }
        let policies = if reading.contents.has_policies() { read_policies(source) } else { Vec::new() };
        for policy in policies.iter().filter(|text| text.kind == ResourceKind::Policy) {
            let rules = explain_policy(policy, &policies, None);
            described.extend(rules.iter().map(|rule| (None, RuleFacts::from_lift(rule))));
        }
        described
    }
}

/// The versions of the definitions in a file, also of those that a server refuses, such as for the cost of their rules.
fn definition_versions(source: &SourceFile, reading: &FileReading) -> Vec<ResourceVersion> {
    if !reading.contents.has_definitions() {
        return Vec::new();
    }
    if let Ok(definitions) = Definitions::read_definitions(source) {
        return definitions.into_versions();
    }
    let run = RunResources::of_files(&[source]);
    run.definitions().flat_map(ResourceVersion::of_definition).collect()
}

fn in_words(name: &str, sentence: String) -> RuleFacts {
    RuleFacts { name: name.to_owned(), sentences: vec![sentence], ..RuleFacts::default() }
}
