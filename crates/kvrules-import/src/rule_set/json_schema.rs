//! The keywords of a JSON Schema as a RuleSet about its documents: in words where it is proved that they say the same, else left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_apiserver::crd::{RuleSource, with_object_meta};
use kvrules_generate::{PlaceStep, place_text};
use kvrules_lift::DefinitionRule;
use kvrules_rule_set::{ResolvedSchema, RuleSeverity, RuleSubject, SchemaDocument, UnknownSubject};
use kvrules_schema_keywords::{INT_OR_STRING, without_ignored_siblings};
use serde_json::{Map, Value as Json, json};

use super::draft::RuleSetDraft;
use super::schema_expression::{ANNOTATIONS, Subject, express_schema};
use super::{ImportedForm, ImportedRule, ImportedRuleSet, ProofBudget, restate_rule};

/// Steps to which fields are read: the first that is not too much.
const STEPS: [usize; 4] = [12, 8, 5, 3];

/// Keywords that are one rule together.
const GROUPS: &[&[&str]] = &[
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
    &["minLength", "maxLength"],
    &["minItems", "maxItems"],
    &["minProperties", "maxProperties"],
    &["if", "then", "else"],
];

/// Keywords on the way to other values, and the types, which are those of the subject.
const SPINE: &[&str] = &["type", "properties", "items", "allOf", "$ref", INT_OR_STRING];

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

/// Keywords at a place that are one rule.
struct SchemaRule {
    pointer: String,
    place: Vec<PlaceStep>,
    keywords: Vec<String>,
    /// The expression, or the reason why there is none.
    expression: Result<String, String>,
}

struct SchemaWalk<'s> {
    source: &'s SchemaDocument<'s>,
    /// The subject whose objects are the documents.
    subject: RuleSubject,
    /// The subject as the RuleSet has it.
    documents: &'s RuleSubject,
    rules: Vec<SchemaRule>,
    budget: ProofBudget,
}

impl<'s> SchemaWalk<'s> {
    fn new(source: &'s SchemaDocument<'s>, documents: &'s RuleSubject) -> Self {
        Self {
            source,
            subject: documents.documents_as_objects(),
            documents,
            rules: Vec::new(),
            budget: ProofBudget::new(),
        }
    }

    fn import(mut self, pointer: &str, path: &str, component: Option<&str>) -> ImportedRuleSet {
        let types = self.documents.schema.clone();
        self.visit(pointer, &mut Vec::new(), &types, &mut Vec::new());
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
        for rule in std::mem::take(&mut self.rules) {
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
    fn restate(&self, rule: &SchemaRule) -> Result<Vec<Map<String, Json>>, String> {
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

    /// Collects the rules of a schema and below. `around` are the pointers on the way, at which a reference would lead back.
    fn visit(&mut self, pointer: &str, place: &mut Vec<PlaceStep>, types: &Json, around: &mut Vec<String>) {
        let Some(Json::Object(keywords)) = self.source.at_pointer(pointer) else { return };
        if around.iter().any(|known| known == pointer) {
            return;
        }
        around.push(pointer.to_owned());
        self.add_rules(pointer, keywords, place, types);
        self.visit_same(pointer, keywords, place, types, around);
        for (name, _) in keywords.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let Some(below) = types.get("properties").and_then(|fields| fields.get(name)) else { continue };
            place.push(PlaceStep::Field(name.clone()));
            self.visit(&format!("{pointer}/properties/{}", escape_token(name)), place, below, around);
            place.pop();
        }
        for (keyword, of) in [("items", "items"), ("additionalProperties", "additionalProperties")] {
            let Some(below) = types.get(of).filter(|it| it.is_object()) else { continue };
            if keywords.get(keyword).is_some_and(Json::is_object) {
                place.push(PlaceStep::Any);
                self.visit(&format!("{pointer}/{keyword}"), place, below, around);
                place.pop();
            }
        }
        around.pop();
    }

    /// Visits the schemas about the same value: the target of a reference, and all of `allOf`.
    fn visit_same(
        &mut self,
        pointer: &str,
        keywords: &Map<String, Json>,
        place: &mut Vec<PlaceStep>,
        types: &Json,
        around: &mut Vec<String>,
    ) {
        if let Some(reference) = keywords.get("$ref").and_then(Json::as_str) {
            match (self.source.resolve_reference(reference), self.source.pointer_of_reference(reference)) {
                (ResolvedSchema::Schema(_), Some(target)) => self.visit(&target, place, types, around),
                (ResolvedSchema::Unread(reason), _) => self.leave_out(pointer, place, "$ref", reason),
                _ => self.leave_out(pointer, place, "$ref", "the reference is not a path".to_owned()),
            }
        }
        let branches = keywords.get("allOf").and_then(Json::as_array).map_or(0, Vec::len);
        for index in 0..branches {
            self.visit(&format!("{pointer}/allOf/{index}"), place, types, around);
        }
    }

    fn add_rules(&mut self, pointer: &str, keywords: &Map<String, Json>, place: &[PlaceStep], types: &Json) {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for (keyword, value) in keywords {
            let is_spine = SPINE.contains(&keyword.as_str())
                || (keyword == "additionalProperties" && (value.is_object() || *value == Json::Bool(true)));
            let is_read = ANNOTATIONS.contains(&keyword.as_str()) || keyword.starts_with("x-");
            if keyword == "format" && value.as_str().is_some() {
                self.leave_out(pointer, place, "format", "validators need not check `format`".to_owned());
            }
            if is_spine || is_read || done.contains(keyword.as_str()) {
                continue;
            }
            if let ("required", Json::Array(names)) = (keyword.as_str(), value) {
                for (index, name) in names.iter().enumerate() {
                    let own = Map::from_iter([("required".to_owned(), json!([name]))]);
                    self.add_rule(format!("{pointer}/required/{index}"), own, place, types);
                }
                continue;
            }
            let group = GROUPS.iter().find(|group| group.contains(&keyword.as_str()));
            let is_own = |name: &str| name == keyword || group.is_some_and(|group| group.contains(&name));
            let own = keywords.iter().filter(|(name, _)| is_own(name));
            let own: Map<String, Json> = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            done.extend(keywords.keys().map(String::as_str).filter(|name| own.contains_key(*name)));
            self.add_rule(format!("{pointer}/{}", escape_token(keyword)), own, place, types);
        }
    }

    /// Adds keywords that are one rule, unless they restrict nothing.
    fn add_rule(&mut self, pointer: String, own: Map<String, Json>, place: &[PlaceStep], types: &Json) {
        let keywords = own.keys().cloned().collect();
        let expression = express_schema(&Json::Object(own), Subject::own(types), self.source);
        if expression.as_deref() != Ok("true") {
            self.rules.push(SchemaRule { pointer, place: place.to_vec(), keywords, expression });
        }
    }

    fn leave_out(&mut self, pointer: &str, place: &[PlaceStep], keyword: &str, reason: String) {
        let pointer = format!("{pointer}/{}", escape_token(keyword));
        let keywords = vec![keyword.to_owned()];
        self.rules.push(SchemaRule { pointer, place: place.to_vec(), keywords, expression: Err(reason) });
    }
}

fn escape_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
