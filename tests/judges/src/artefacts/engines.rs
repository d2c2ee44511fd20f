//! Engines that run what a target writes.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules::TargetOutput;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use serde_json::{Value as Json, json};

use super::markers::{with_attributes, with_listed_rules, with_markers};
use crate::words::{Step, values_at};

/// Answer of an engine about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Accepted(bool),
    /// The engine has no answer.
    Unknown,
}

/// Answers a request that writes an object, in place of a stored one in an update.
pub type Ask = Box<dyn Fn(&Json, Option<&Json>) -> Answer>;

/// An engine with an artefact.
pub struct Engine {
    pub name: &'static str,
    /// True if it is asked about objects with defaults.
    pub sees_defaults: bool,
    pub answer: Ask,
}

/// Returns the engines for what a target has written; none for targets that nothing here runs, or that have written nothing.
pub fn engines_of(output: &TargetOutput) -> Vec<Engine> {
    let texts = || output.output_files().map(|file| file.text.as_str());
    let documents: Vec<Json> = match output.target {
        "kube-rs" => texts().filter_map(with_attributes).collect(),
        "kubebuilder" => texts().filter_map(with_markers).collect(),
        _ => texts().flat_map(read_documents).collect(),
    };
    match output.target {
        "json-schema" => documents.first().and_then(schema_engine).into_iter().collect(),
        "openapi" => documents.first().and_then(openapi_engine).into_iter().collect(),
        "cel" => documents
            .first()
            .and_then(with_listed_rules)
            .as_ref()
            .and_then(definition_engine)
            .into_iter()
            .collect(),
        "kube-rs" | "kubebuilder" => documents.first().and_then(definition_engine).into_iter().collect(),
        "crd" => {
            let definition =
                documents.iter().find(|document| document["kind"] == "CustomResourceDefinition").cloned();
            let engines = definition.map(|it| [definition_engine(&it), interpreter_engine(&it)]);
            engines.into_iter().flatten().flatten().collect()
        }
        "admission-policy" => PolicyEngine::of_documents(&documents).map(policy_engine).into_iter().collect(),
        _ => Vec::new(),
    }
}

pub(super) fn read_documents(text: &str) -> Vec<Json> {
    use serde::Deserialize as _;
    // Behind an error the reader finds further ones without end.
    serde_yaml::Deserializer::from_str(text).map_while(|document| Json::deserialize(document).ok()).collect()
}

pub(super) fn schema_engine(schema: &Json) -> Option<Engine> {
    let validator = jsonschema::validator_for(schema).ok()?;
    let answer = move |object: &Json, _: Option<&Json>| Answer::Accepted(validator.is_valid(object));
    Some(Engine { name: "jsonschema", sees_defaults: false, answer: Box::new(answer) })
}

pub(super) fn openapi_engine(document: &Json) -> Option<Engine> {
    let components = document.pointer("/components/schemas")?.as_object()?;
    let name = components.keys().next_back()?;
    let version = document["openapi"].as_str().unwrap_or_default();
    let dialect = if version.starts_with("3.1") {
        "https://json-schema.org/draft/2020-12/schema"
    } else {
        "http://json-schema.org/draft-04/schema#"
    };
    let mut schema = document.clone();
    admit_nulls(&mut schema);
    let fields = schema.as_object_mut()?;
    fields.insert("$schema".to_owned(), dialect.into());
    let reference = json!([{ "$ref": format!("#/components/schemas/{name}") }]);
    fields.insert("allOf".to_owned(), reference);
    schema_engine(&schema)
}

/// Adds null to the types of schemas that are nullable, as OpenAPI 3.0 defines it.
fn admit_nulls(schema: &mut Json) {
    match schema {
        Json::Object(keywords) => {
            if keywords.get("nullable") == Some(&Json::Bool(true))
                && let Some(name) = keywords.get_mut("type").filter(|name| name.is_string())
            {
                *name = json!([name.take(), "null"]);
            }
            keywords.values_mut().for_each(admit_nulls);
        }
        Json::Array(items) => items.iter_mut().for_each(admit_nulls),
        _ => {}
    }
}

pub(super) fn definition_engine(definition: &Json) -> Option<Engine> {
    let version = definition.pointer("/spec/versions/0")?;
    let server = ObjectSchema::of_version(definition, version)?;
    let answer = move |object: &Json, stored: Option<&Json>| {
        let stored = stored.map(|stored| server.admit_object(stored, None).stored);
        Answer::Accepted(server.admit_object(object, stored.as_ref()).is_accepted())
    };
    Some(Engine { name: "the server's emulation", sees_defaults: false, answer: Box::new(answer) })
}

/// Policies with their bindings, in the emulation of the server.
pub struct PolicyEngine {
    policies: Vec<Policy>,
    bindings: Vec<Binding>,
}

impl PolicyEngine {
    /// Reads what the target for policies has written; `None` if there is no policy.
    pub fn of_output(output: &TargetOutput) -> Option<Self> {
        let texts = output.output_files().map(|file| file.text.as_str());
        Self::of_documents(&texts.flat_map(read_documents).collect::<Vec<_>>())
    }

    fn of_documents(documents: &[Json]) -> Option<Self> {
        let of_kind = |kind: &'static str| documents.iter().filter(move |it| it["kind"] == kind);
        let policies: Vec<Policy> = of_kind("ValidatingAdmissionPolicy").map(Policy::from_json).collect();
        let bindings = of_kind("ValidatingAdmissionPolicyBinding").map(Binding::from_json).collect();
        (!policies.is_empty()).then_some(Self { policies, bindings })
    }

    /// True if there is a warning in the answer to a request.
    pub fn warns(&self, request: &Request) -> Option<bool> {
        admit_request(&self.policies, &self.bindings, request).ok().map(|answer| !answer.warnings.is_empty())
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        match admit_request(&self.policies, &self.bindings, request) {
            Ok(answer) => Answer::Accepted(answer.denial.is_none()),
            Err(_) => Answer::Unknown,
        }
    }
}

fn policy_engine(policies: PolicyEngine) -> Engine {
    let answer = move |object: &Json, stored: Option<&Json>| {
        policies.answer(&match stored {
            None => Request::for_creation("example.com", "ponds", object.clone()),
            Some(stored) => Request::for_update("example.com", "ponds", object.clone(), stored.clone()),
        })
    };
    Engine { name: "the server's emulation", sees_defaults: true, answer: Box::new(answer) }
}

/// Rules of a place.
struct PlaceRules {
    place: Vec<Step>,
    programs: Vec<cel::Program>,
}

/// The rules of a definition in the interpreter of the `cel` crate, which knows the functions of CEL itself alone.
pub(super) fn interpreter_engine(definition: &Json) -> Option<Engine> {
    let mut places = Vec::new();
    let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema")?;
    collect_rules(schema, &mut Vec::new(), &mut places)?;
    let answer = move |object: &Json, stored: Option<&Json>| {
        if stored.is_some() {
            return Answer::Unknown;
        }
        let mut accepts = true;
        for PlaceRules { place, programs } in &places {
            for value in values_at(object, place) {
                let mut context = cel::Context::default();
                context.add_variable_from_value("self", to_cel(value));
                for program in programs {
                    match program.execute(&context) {
                        Ok(cel::Value::Bool(holds)) => accepts &= holds,
                        // Functions of Kubernetes are unknown to it, and its errors do not tell them from others.
                        _ => return Answer::Unknown,
                    }
                }
            }
        }
        Answer::Accepted(accepts)
    };
    Some(Engine { name: "the interpreter of `cel`", sees_defaults: true, answer: Box::new(answer) })
}

/// Collects the rules about creations; `None` if one cannot be read.
fn collect_rules(schema: &Json, place: &mut Vec<Step>, found: &mut Vec<PlaceRules>) -> Option<()> {
    let rules = schema["x-kubernetes-validations"].as_array();
    let texts = rules.into_iter().flatten().filter_map(|rule| rule["rule"].as_str());
    let mut programs = Vec::new();
    for text in texts.filter(|text| !text.contains("oldSelf")) {
        programs.push(cel::Program::compile(text).ok()?);
    }
    if !programs.is_empty() {
        found.push(PlaceRules { place: place.clone(), programs });
    }
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        place.push(Step::Field(name.clone()));
        collect_rules(below, place, found)?;
        place.pop();
    }
    for below in ["items", "additionalProperties"].into_iter().filter_map(|keyword| schema.get(keyword)) {
        place.push(Step::Each);
        collect_rules(below, place, found)?;
        place.pop();
    }
    Some(())
}

fn to_cel(value: &Json) -> cel::Value {
    match value {
        Json::Null => cel::Value::Null,
        Json::Bool(truth) => cel::Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => cel::Value::Int(number),
            None => cel::Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => cel::Value::String(Arc::new(text.clone())),
        Json::Array(items) => cel::Value::List(Arc::new(items.iter().map(to_cel).collect())),
        Json::Object(fields) => {
            // A server shows rules no field that is null.
            let seen = fields.iter().filter(|(_, value)| !value.is_null());
            let fields: HashMap<String, cel::Value> =
                seen.map(|(name, value)| (name.clone(), to_cel(value))).collect();
            cel::Value::Map(fields.into())
        }
    }
}
