//! Fields that a server drops because its types do not have them, or because a feature is off.

use std::borrow::Cow;

use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value as Json;

use crate::server::{FieldFact, RULE_FIELDS, ServerFeatures, VERSION_FIELDS};

/// A definition without the fields that a server drops, and the warnings about them.
pub(crate) fn drop_fields<'a>(document: &'a Json, server: &ServerFeatures) -> (Cow<'a, Json>, Vec<String>) {
    let mut dropping = Dropping { version: server.version(), unknown: Vec::new(), dropped: Vec::new() };
    if !RULE_FIELDS.iter().chain(VERSION_FIELDS).any(|fact| dropping.drops(fact)) {
        return (Cow::Borrowed(document), Vec::new());
    }
    let mut document = document.clone();
    dropping.visit_definition(&mut document);
    let warnings = dropping.unknown.iter().map(|path| format!("unknown field {path:?}")).collect();
    (Cow::Owned(document), warnings)
}

/// Returns a schema without the fields of rules that a server drops.
///
/// ```
/// use kvrules_apiserver::{definition::drop_rule_fields, server::ServerFeatures};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "true", "reason": "FieldValueInvalid"}]});
/// let kept = drop_rule_fields(&schema, &ServerFeatures::of_version("1.27".parse().unwrap()));
/// assert_eq!(kept["x-kubernetes-validations"], json!([{"rule": "true"}]));
/// ```
pub fn drop_rule_fields<'a>(schema: &'a Json, server: &ServerFeatures) -> Cow<'a, Json> {
    let mut dropping = Dropping { version: server.version(), unknown: Vec::new(), dropped: Vec::new() };
    // New servers use all fields, and have no need for a copy.
    if !RULE_FIELDS.iter().any(|fact| dropping.drops(fact)) {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone();
    dropping.visit_schema(&mut schema, "", "");
    Cow::Owned(schema)
}

/// A field of a definition that not every server uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredField {
    /// Its path in the document.
    pub path: String,
    /// Its name.
    pub name: &'static str,
    /// The first version that uses it.
    pub used_from: KubernetesVersion,
}

/// Returns the fields of a definition that not every known server uses.
///
/// ```
/// use kvrules_apiserver::definition::ignored_fields;
/// use serde_json::json;
///
/// let definition = json!({"spec": {"versions": [{"name": "v1", "selectableFields": [{"jsonPath": ".spec.a"}]}]}});
/// let ignored = ignored_fields(&definition);
/// assert_eq!((ignored[0].name, ignored[0].used_from.to_string()), ("selectableFields", "1.31".to_owned()));
/// ```
pub fn ignored_fields(document: &Json) -> Vec<IgnoredField> {
    let mut found = Vec::new();
    for fact in RULE_FIELDS.iter().chain(VERSION_FIELDS) {
        // The server before the first one that uses the field drops it, and all that came later.
        let Some(used_from) = KubernetesVersion::all_known().find(|it| it.is_at_least(fact.used_from)) else {
            continue;
        };
        let Some(before) = used_from.previous() else { continue };
        let mut dropping = Dropping { version: before, unknown: Vec::new(), dropped: Vec::new() };
        dropping.visit_definition(&mut document.clone());
        let own = dropping.dropped.into_iter().filter(|(name, _)| *name == fact.name);
        found.extend(own.map(|(name, path)| IgnoredField { path, name, used_from }));
    }
    found
}

struct Dropping {
    version: KubernetesVersion,
    /// Paths of the fields with a warning.
    unknown: Vec<String>,
    /// Names and paths of all fields that are dropped, as in the text of a definition.
    dropped: Vec<(&'static str, String)>,
}

impl Dropping {
    fn drops(&self, fact: &FieldFact) -> bool {
        !self.version.is_at_least(fact.used_from)
    }

    fn visit_definition(&mut self, document: &mut Json) {
        let versions = document.pointer_mut("/spec/versions").and_then(Json::as_array_mut);
        for (index, version) in versions.into_iter().flatten().enumerate() {
            let path = format!("spec.versions[{index}]");
            self.drop_members(version, VERSION_FIELDS, (&path, &path));
            if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
                let path = format!("{path}.schema.openAPIV3Schema");
                self.visit_schema(schema, &path, &path);
            }
        }
    }

    fn drop_members(&mut self, value: &mut Json, facts: &[FieldFact], (path, field): (&str, &str)) {
        let Some(members) = value.as_object_mut() else { return };
        for fact in facts.iter().filter(|fact| !self.version.is_at_least(fact.used_from)) {
            if members.shift_remove(fact.name).is_none() {
                continue;
            }
            self.dropped.push((fact.name, format!("{field}.{}", fact.name)));
            if !self.version.is_at_least(fact.known_from) {
                self.unknown.push(format!("{path}.{}", fact.name));
            }
        }
    }

    /// `path` is as warnings have it, `field` as errors do.
    fn visit_schema(&mut self, schema: &mut Json, path: &str, field: &str) {
        let Some(keywords) = schema.as_object_mut() else { return };
        for (keyword, value) in keywords {
            let (path, field) = (format!("{path}.{keyword}"), format!("{field}.{keyword}"));
            match (keyword.as_str(), value) {
                (VALIDATIONS, Json::Array(rules)) => {
                    for (index, rule) in rules.iter_mut().enumerate() {
                        self.drop_members(
                            rule,
                            RULE_FIELDS,
                            (&format!("{path}[{index}]"), &format!("{field}[{index}]")),
                        );
                    }
                }
                ("properties" | "patternProperties" | "definitions", Json::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.visit_schema(schema, &format!("{path}.{name}"), &format!("{field}[{name}]"));
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Json::Array(branches)) => {
                    for (index, branch) in branches.iter_mut().enumerate() {
                        self.visit_schema(branch, &format!("{path}[{index}]"), &format!("{field}[{index}]"));
                    }
                }
                ("not", schema) => self.visit_schema(schema, &path, &field),
                ("items" | "additionalProperties" | "additionalItems", schema) => {
                    self.visit_inner(schema, &path, &field);
                }
                _ => {}
            }
        }
    }

    /// Lists and maps are decoded in two steps, and the inner one drops without a warning.
    fn visit_inner(&mut self, schema: &mut Json, path: &str, field: &str) {
        let before = self.unknown.len();
        self.visit_schema(schema, path, field);
        self.unknown.truncate(before);
    }
}
