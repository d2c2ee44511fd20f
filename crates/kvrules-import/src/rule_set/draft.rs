//! The document of an imported RuleSet while it is made.

use std::collections::BTreeSet;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::PlaceStep;
use kvrules_rule_set::{RuleSeverity, to_message};
use serde_json::{Map, Value as Json, json};

use super::candidates::RuleEntry;
use super::name::rule_name;
use super::{ImportedForm, ImportedRule, ImportedRuleSet};

/// A RuleSet that rules are added to.
pub(super) struct RuleSetDraft {
    name: String,
    subject: Json,
    /// `match`
    pub(super) selection: Option<Json>,
    entries: Vec<Json>,
    /// The names of the last entries, which express the next rule that is added.
    names: Vec<String>,
    /// The rules that it is made of.
    rules: Vec<ImportedRule>,
}

impl RuleSetDraft {
    pub(super) fn new(name: &str, version: &ResourceVersion, schema_file: Option<&str>) -> Self {
        let mut subject = json!({"apiVersion": version.api_version(), "kind": version.kind});
        if let (Some(file), Some(fields)) = (schema_file, subject.as_object_mut()) {
            fields.insert("schema".to_owned(), file.into());
        }
        Self {
            name: name.to_owned(),
            subject,
            selection: None,
            entries: Vec::new(),
            names: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// A RuleSet about the documents of a schema in a file.
    pub(super) fn about_documents(name: &str, schema_file: &str, component: Option<&str>) -> Self {
        let mut subject = json!({ "schema": schema_file });
        if let (Some(component), Some(fields)) = (component, subject.as_object_mut()) {
            fields.insert("component".to_owned(), component.into());
        }
        Self {
            name: name.to_owned(),
            subject,
            selection: None,
            entries: Vec::new(),
            names: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Adds an entry with its name and message.
    pub(super) fn add_entry(
        &mut self,
        entry: RuleEntry,
        name: Option<&str>,
        place: &[PlaceStep],
        message: &str,
        severity: RuleSeverity,
        used: &mut BTreeSet<String>,
    ) {
        let mut whole = RuleEntry::new();
        let name = rule_name(name, &entry, place, used);
        self.names.push(name.clone());
        whole.insert("name".to_owned(), name.into());
        whole.extend(entry);
        if let Some(message) = to_message(message) {
            whole.insert("message".to_owned(), message.into());
        }
        if severity != RuleSeverity::Error {
            whole.insert("severity".to_owned(), severity.as_str().into());
        }
        self.entries.push(Json::Object(whole));
    }

    /// Adds a rule that the document is made of, whose entries it has, with the parts that they do not express.
    pub(super) fn add_rule(&mut self, mut rule: ImportedRule, message: &str) {
        if matches!(rule.form, ImportedForm::LeftOut(_)) {
            rule.lost.clear();
            rule.wider = None;
        } else if !message.trim().is_empty() && to_message(message).is_none() {
            rule.lost.push("the message");
        }
        rule.entries = std::mem::take(&mut self.names);
        self.rules.push(rule);
    }

    pub(super) fn finish(self) -> ImportedRuleSet {
        let mut spec = Map::new();
        spec.insert("subject".to_owned(), self.subject);
        spec.extend(self.selection.map(|selection| ("match".to_owned(), selection)));
        spec.insert("rules".to_owned(), self.entries.into());
        let document = json!({
            "apiVersion": "kvrules.dev/v1alpha1",
            "kind": "RuleSet",
            "metadata": {"name": self.name},
            "spec": spec,
        });
        ImportedRuleSet { name: self.name, document, rules: self.rules }
    }
}
