//! Facts about stored objects that their types do not express: fields that the server fills in or demands.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::keywords::VALIDATIONS;
use serde_json::{Map, Value, json};

/// The facts, whose form is described in the file.
static FACTS: &str = include_str!("../../data/stored-fields.txt");

/// Facts about the objects of a schema.
#[derive(Clone, Debug, Default)]
struct StoredFacts {
    /// Fields that are always there, each with the kind of the objects of which that is true; empty for all kinds.
    fields: Vec<(&'static str, &'static str)>,
    /// Rules in CEL that the server demands, each with the kind as above.
    rules: Vec<(&'static str, &'static str)>,
}

/// Writes into the resolved schema of a type what objects of a kind have when a server stores them: which fields are always there, as
/// those that are required, and the rules that the server demands, as those of a definition. `declared` is the schema before references
/// were replaced. A rule about a field that was left out is left out too, because the field may be as the rule demands.
pub(crate) fn mark_stored(name: &str, kind: &str, declared: &Value, resolved: &mut Value) {
    let Some(keywords) = resolved.as_object_mut() else { return };
    let Some(properties) = keywords.get("properties").and_then(Value::as_object) else { return };
    let facts = facts_by_schema().get(name);
    let is_there = |field: &&String| facts.is_none_or(|facts| facts.has_field(field, kind, declared));
    let required: Vec<&String> = properties.keys().filter(is_there).collect();
    let rules = facts.into_iter().flat_map(|facts| &facts.rules);
    let rules = rules.filter(|(_, of)| is_of_kind(of, kind)).map(|(rule, _)| *rule);
    let rules: Vec<Value> =
        rules.filter(|rule| reads_only(rule, properties)).map(|rule| json!({"rule": rule})).collect();
    let required = json!(required);
    keywords.insert("required".to_owned(), required);
    if !rules.is_empty() {
        keywords.insert(VALIDATIONS.to_owned(), Value::Array(rules));
    }
}

impl StoredFacts {
    /// True if each object of a kind has a field of this schema.
    fn has_field(&self, field: &str, kind: &str, declared: &Value) -> bool {
        let is_listed = |(known, of): &(&str, &str)| *known == field && is_of_kind(of, kind);
        let is_own = |name: &Value| name.as_str() == Some(field);
        let required = declared.get("required").and_then(Value::as_array);
        let properties = declared.get("properties");
        let property = |name: &str| properties.and_then(|properties| properties.get(name));
        // A field that is not a pointer in Go has the default `{}`, and is written even if it is empty.
        let has_default = property(field).is_some_and(|property| property.get("default").is_some());
        let names_type = matches!(field, "apiVersion" | "kind") && property("metadata").is_some();
        self.fields.iter().any(is_listed)
            || required.is_some_and(|required| required.iter().any(is_own))
            || has_default
            || names_type
    }
}

/// True if a fact of the objects of a kind, or of all kinds, is one of these objects.
fn is_of_kind(fact: &str, kind: &str) -> bool {
    fact.is_empty() || fact == kind
}

/// True if a rule reads no other fields of `self`.
fn reads_only(rule: &str, properties: &Map<String, Value>) -> bool {
    let field = |text: &str| -> String { text.chars().take_while(char::is_ascii_alphanumeric).collect() };
    rule.split("self.").skip(1).all(|rest| properties.contains_key(&field(rest)))
}

fn facts_by_schema() -> &'static BTreeMap<&'static str, StoredFacts> {
    static INDEX: OnceLock<BTreeMap<&'static str, StoredFacts>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: BTreeMap<&str, StoredFacts> = BTreeMap::new();
        for line in FACTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (kind, schema) = head.split_once(':').unwrap_or(("", head));
            let facts = index.entry(schema).or_default();
            match rest.strip_prefix("if ") {
                Some(rule) => facts.rules.push((rule, kind)),
                None => facts.fields.extend(rest.split_whitespace().map(|field| (field, kind))),
            }
        }
        index
    })
}
