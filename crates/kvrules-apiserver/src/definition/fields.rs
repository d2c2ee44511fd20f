//! Fields that a server drops because its types do not have them, or because a feature is off.

use std::borrow::Cow;

use kvrules_cel::kubernetes::KubernetesVersion;
use serde_json::Value as Json;

use crate::server::{FieldFact, RULE_FIELDS, ServerFeatures, VERSION_FIELDS};

/// A definition without the fields that a server drops, and the warnings about them.
pub(super) fn drop_fields<'a>(document: &'a Json, server: &ServerFeatures) -> (Cow<'a, Json>, Vec<String>) {
    let mut dropping = Dropping { version: server.version(), unknown: Vec::new() };
    if !RULE_FIELDS.iter().chain(VERSION_FIELDS).any(|fact| dropping.drops(fact)) {
        return (Cow::Borrowed(document), Vec::new());
    }
    let mut document = document.clone();
    if let Some(versions) = document.pointer_mut("/spec/versions").and_then(Json::as_array_mut) {
        for (index, version) in versions.iter_mut().enumerate() {
            let path = format!("spec.versions[{index}]");
            dropping.drop_members(version, VERSION_FIELDS, &path);
            if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
                dropping.visit_schema(schema, &format!("{path}.schema.openAPIV3Schema"));
            }
        }
    }
    let warnings = dropping.unknown.iter().map(|path| format!("unknown field {path:?}")).collect();
    (Cow::Owned(document), warnings)
}

/// A schema without the fields of rules that a server drops.
pub(crate) fn drop_rule_fields(schema: &Json, server: &ServerFeatures) -> Json {
    let mut dropping = Dropping { version: server.version(), unknown: Vec::new() };
    let mut schema = schema.clone();
    dropping.visit_schema(&mut schema, "");
    schema
}

struct Dropping {
    version: KubernetesVersion,
    /// Paths of the fields with a warning.
    unknown: Vec<String>,
}

impl Dropping {
    fn drops(&self, fact: &FieldFact) -> bool {
        !self.version.is_at_least(fact.used_from)
    }

    fn drop_members(&mut self, value: &mut Json, facts: &[FieldFact], path: &str) {
        let Some(members) = value.as_object_mut() else { return };
        for fact in facts.iter().filter(|fact| !self.version.is_at_least(fact.used_from)) {
            if members.shift_remove(fact.name).is_some() && !self.version.is_at_least(fact.known_from) {
                self.unknown.push(format!("{path}.{}", fact.name));
            }
        }
    }

    fn visit_schema(&mut self, schema: &mut Json, path: &str) {
        let Some(keywords) = schema.as_object_mut() else { return };
        for (keyword, value) in keywords {
            let path = format!("{path}.{keyword}");
            match (keyword.as_str(), value) {
                ("x-kubernetes-validations", Json::Array(rules)) => {
                    for (index, rule) in rules.iter_mut().enumerate() {
                        self.drop_members(rule, RULE_FIELDS, &format!("{path}[{index}]"));
                    }
                }
                ("properties" | "patternProperties" | "definitions", Json::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.visit_schema(schema, &format!("{path}.{name}"));
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Json::Array(branches)) => {
                    for (index, branch) in branches.iter_mut().enumerate() {
                        self.visit_schema(branch, &format!("{path}[{index}]"));
                    }
                }
                ("items" | "additionalProperties" | "not" | "additionalItems", schema @ Json::Object(_)) => {
                    self.visit_inner(schema, &path);
                }
                _ => {}
            }
        }
    }

    /// Lists and maps are decoded in two steps, and the inner one drops without a warning.
    fn visit_inner(&mut self, schema: &mut Json, path: &str) {
        let before = self.unknown.len();
        self.visit_schema(schema, path);
        if !path.ends_with(".not") {
            self.unknown.truncate(before);
        }
    }
}
