//! The keywords of a JSON Schema as a RuleSet about its documents: in words where it is proved that they say the same, else left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_generate::place_text;
use kvrules_kubernetes::keywords::without_ignored_siblings;
use kvrules_lift::DefinitionRule;
use kvrules_rule_set::{RuleSeverity, RuleSubject, SchemaDocument, UnknownSubject};
use serde_json::{Map, Value as Json, json};

use super::draft::RuleSetDraft;
use super::keyword_walk::{KeywordRule, KeywordWalk};
use super::{ImportedForm, ImportedRule, ImportedRuleSet, ProofBudget, restate_rule};

/// Steps to which fields are read: the first that is not too much.
const STEPS: [usize; 4] = [12, 8, 5, 3];

/// Returns the RuleSets of a file with JSON Schemas: one for the schema that the file is, or for each named schema, that has keywords with
/// words. `path` is its path from the folder of the RuleSets.
///
/// # Errors
///
/// The file has no schema.
///
/// ```
/// use std::sync::Arc;
/// use kvrules_import::{ImportedForm, import_schema_rules};
/// use serde_json::json;
///
/// let file = Arc::new(json!({"type": "object", "properties": {"port": {"type": "integer", "minimum": 1, "multipleOf": 2}}}));
/// let set = import_schema_rules(&file, "server.json").unwrap().remove(0);
/// assert_eq!(set.document["spec"]["rules"][0]["integer"], json!({"min": 1}));
/// assert_eq!(set.rules[1].form, ImportedForm::LeftOut("no words express `multipleOf`".to_owned()));
/// ```
pub fn import_schema_rules(file: &Arc<Json>, path: &str) -> Result<Vec<ImportedRuleSet>, UnknownSubject> {
    let file = &Arc::new(without_ignored_siblings(file));
    let source = SchemaDocument::new(file);
    let mut components: Vec<Option<&str>> = vec![None];
    if let Err(unknown) = source.find_schema(path, None) {
        components = source.schema_names().map(Some).collect();
        if components.is_empty() {
            return Err(unknown);
        }
    }
    let mut names = BTreeSet::new();
    collect_fields(file, &mut names);
    let import = |component: Option<&str>| {
        let find = |steps: &usize| RuleSubject::of_documents(file, path, component, &names, *steps).ok();
        let subject = STEPS.iter().find_map(find)?;
        let pointer = source.pointer_of(component)?;
        Some(SchemaWalk::new(&source, &subject).import(&pointer, path, component))
    };
    Ok(components.into_iter().filter_map(import).collect())
}

/// The names of all fields.
fn collect_fields<'s>(value: &'s Json, names: &mut BTreeSet<&'s str>) {
    match value {
        Json::Object(fields) => {
            for (name, below) in fields {
                names.insert(name);
                collect_fields(below, names);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect_fields(item, names)),
        _ => {}
    }
}

struct SchemaWalk<'s> {
    /// The subject whose objects are the documents.
    subject: RuleSubject,
    /// The subject as the RuleSet has it.
    documents: &'s RuleSubject,
    keywords: KeywordWalk<'s>,
    budget: ProofBudget,
}

impl<'s> SchemaWalk<'s> {
    fn new(source: &'s SchemaDocument<'s>, documents: &'s RuleSubject) -> Self {
        Self {
            subject: documents.documents_as_objects(),
            documents,
            keywords: KeywordWalk::new(source, false),
            budget: ProofBudget::new(),
        }
    }

    fn import(mut self, pointer: &str, path: &str, component: Option<&str>) -> ImportedRuleSet {
        let types = self.documents.schema.clone();
        self.keywords.visit(pointer, &mut Vec::new(), &types, &mut Vec::new());
        let mut name: String = component
            .unwrap_or(&self.documents.version.kind)
            .to_ascii_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        name = name.trim_matches('-').to_owned();
        let mut draft =
            RuleSetDraft::about_documents(if name.is_empty() { "rules" } else { &name }, path, component);
        let mut used = BTreeSet::new();
        for rule in std::mem::take(&mut self.keywords.rules) {
            let form = match self.restate(&rule) {
                Ok(entries) => {
                    for entry in entries {
                        draft.add_entry(entry, None, &rule.place, "", RuleSeverity::Error, &mut used);
                    }
                    ImportedForm::Words
                }
                Err(reason) => ImportedForm::LeftOut(reason),
            };
            let place = place_text(&rule.place);
            let separator = if place.is_empty() { "" } else { "." };
            let source = format!("{place}{separator}{}", rule.keywords.join(", "));
            draft.add_rule(
                ImportedRule {
                    source,
                    pointer: rule.pointer,
                    form,
                    lost: Vec::new(),
                    wider: None,
                    entries: Vec::new(),
                },
                "",
            );
        }
        draft.finish()
    }

    /// The entries in words that are proved to say the same as a rule.
    fn restate(&self, rule: &KeywordRule) -> Result<Vec<Map<String, Json>>, String> {
        let text = rule.expression.clone()?;
        let node = kvrules_generate::schema_at_place(&self.subject.schema, &rule.place)
            .ok_or("it is nested too deep")?;
        let schema = if rule.place.is_empty() { with_object_meta(node) } else { node.clone() };
        let definition = DefinitionRule {
            place: rule.place.clone(),
            schema: schema.into(),
            index: 0,
            source: RuleSource::from_json(&json!({ "rule": text })),
            constant_fields: Vec::new(),
        };
        let restated = restate_rule(&definition, &self.subject, false, &self.budget);
        match restated.form {
            ImportedForm::Words => Ok(restated.entries),
            ImportedForm::Cel(reason) | ImportedForm::LeftOut(reason) => Err(reason),
        }
    }
}
