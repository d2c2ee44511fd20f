//! The schema that both sides of a comparison are put into: the fields of the objects with their types.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_apiserver::definition::AuthoredObjects;
use kvrules_crd::policy_subjects;
use kvrules_elaborate::catalog::{StructuralDetail, virtual_machine_schema};
use kvrules_generate::without_rules;
use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, PRESERVE_UNKNOWN_FIELDS,
};
use kvrules_kubernetes::types::drop_requirements;
use kvrules_rule_set::RuleSubject;
use kvrules_sources::crd::RunResources;
use serde_json::{Map, Value, json};

use super::super::rule_sets::add_fields;
use super::super::{ComparableUnit, UnitContent};
use super::annotation::annotation_expressions;
use super::other_fields::words_in;
use super::subject::SubjectKind;

/// The fields and types of the objects that are compared.
pub(super) struct CommonSchema {
    schema: Value,
    /// True if it is the schema of a definition that is one of the sides, or that a RuleSet is about.
    pub(super) is_of_side: bool,
    /// The kind of the objects; of documents none.
    pub(super) kind: SubjectKind,
    /// The documents that are in a field of the objects, if the rules of a RuleSet are about documents.
    pub(super) documents: Option<RuleSubject>,
}

/// Keywords that give a value its type, and no more.
const TYPE_KEYWORDS: [&str; 8] = [
    "type",
    "nullable",
    "format",
    PRESERVE_UNKNOWN_FIELDS,
    INT_OR_STRING,
    EMBEDDED_RESOURCE,
    LIST_TYPE,
    LIST_MAP_KEYS,
];

/// Steps to which the fields of documents are read: the first that is not too much.
const STEPS: [usize; 4] = [12, 8, 5, 3];

impl CommonSchema {
    /// Finds the schema: of a definition, else of the subject of a RuleSet, of the kind that a policy matches, of VirtualMachines, or the
    /// types of a JSON Schema, whichever is known first.
    pub(super) fn find(
        units: [&ComparableUnit; 2],
        kind: &SubjectKind,
        run: &RunResources,
    ) -> Result<Self, String> {
        let common = |schema: Value| Self { schema, is_of_side: false, kind: kind.clone(), documents: None };
        for unit in units {
            if let UnitContent::Schema(definition) = &unit.content {
                return Ok(Self { is_of_side: true, ..common(definition.version.schema.to_value()) });
            }
        }
        for unit in units {
            if let UnitContent::RuleSet(set) = &unit.content {
                let mut schema = set.subject.version.schema.to_value();
                if set.subject.is_built_in() {
                    for unit in units {
                        add_policy_fields(&mut schema, unit, kind, run);
                    }
                }
                let documents =
                    (set.subject.objects == AuthoredObjects::Documents).then(|| set.subject.clone());
                let is_of_side = set.subject.definition.is_some();
                return Ok(Self { is_of_side, documents, ..common(schema) });
            }
        }
        if let Some(schema) = units.iter().find_map(|unit| policy_schema(unit, kind, run)) {
            return Ok(common(schema));
        }
        if units.iter().any(|unit| unit.content.is_about_catalog()) {
            let names = mentioned_names(units);
            let detail =
                StructuralDetail { is_wanted: &|name| names.contains(name), names_quantities: false };
            return Ok(common(virtual_machine_schema(detail)));
        }
        let of_documents = units.iter().find_map(|unit| document_types(unit, &mentioned_names(units)));
        let kind = kind.named_by(units);
        let common = |schema: Value| Self { schema, is_of_side: false, kind: kind.clone(), documents: None };
        of_documents.map(common).ok_or_else(|| {
            format!(
                "the types of the fields of {} are not known; give its CustomResourceDefinition with `--schema`",
                kind.describe()
            )
        })
    }

    /// The schema without the rules of a unit. A definition has its own keywords, and a RuleSet those of its subject. The other side has the
    /// types of the fields alone: what it requires is written in its rules. Rules of templates are about VirtualMachines that servers accept, so required fields stay.
    pub(super) fn base_of(&self, unit: &ComparableUnit) -> Value {
        self.with_head(match &unit.content {
            UnitContent::Schema(_) | UnitContent::RuleSet(_) => self.schema.clone(),
            content if self.is_of_side => types_only(&self.schema, content.is_about_catalog()),
            _ => without_defaults(&self.schema),
        })
    }

    /// The types alone, for rules that reject nothing.
    pub(super) fn types(&self) -> Value {
        self.with_head(types_only(&self.schema, true))
    }

    /// The types of a value that a JSON Schema is about.
    pub(super) fn document_types(&self) -> Value {
        match &self.documents {
            Some(subject) => subject.schema.clone(),
            None => self.with_head(types_only(&self.schema, false)),
        }
    }

    /// Declares what every object of the kind has.
    fn with_head(&self, mut schema: Value) -> Value {
        if self.documents.is_some() || self.kind == SubjectKind::default() {
            return schema;
        }
        let head = self.head();
        let Some(keywords) = schema.as_object_mut() else { return schema };
        let fields = keywords.entry("properties").or_insert_with(|| json!({}));
        if let Some(fields) = fields.as_object_mut() {
            for name in ["apiVersion", "kind"] {
                fields.insert(name.to_owned(), json!({"type": "string", "enum": [head.get(name)]}));
            }
            declare_metadata(fields.entry("metadata").or_insert_with(|| json!({"type": "object"})));
        }
        let required = keywords.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            for name in ["apiVersion", "kind", "metadata"].map(Value::from) {
                if !required.contains(&name) {
                    required.push(name);
                }
            }
        }
        schema
    }

    /// The fields that every object has.
    pub(super) fn head(&self) -> Value {
        let kind = if self.kind.kind.is_empty() { "Object" } else { &self.kind.kind };
        json!({"apiVersion": self.kind.api_version(), "kind": kind, "metadata": {"name": "example"}})
    }
}

/// Declares the metadata that rules of policies read most.
fn declare_metadata(metadata: &mut Value) {
    let Some(keywords) = metadata.as_object_mut() else { return };
    let fields = keywords.entry("properties").or_insert_with(|| json!({}));
    let Some(fields) = fields.as_object_mut() else { return };
    for name in ["name", "generateName", "namespace"] {
        fields.entry(name).or_insert_with(|| json!({"type": "string"}));
    }
    for name in ["labels", "annotations"] {
        let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
        fields.entry(name).or_insert_with(|| texts);
    }
}

/// A schema with its types alone, and with its required fields if `keeps_required`.
fn types_only(schema: &Value, keeps_required: bool) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let below = |value: &Value| types_only(value, keeps_required);
    let keep = |(keyword, value): (&String, &Value)| {
        let kept = match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(name, field)| (name.clone(), below(field))).collect::<Map<_, _>>().into()
            }
            ("items" | "additionalProperties", value) => below(value),
            ("required", value) if keeps_required => value.clone(),
            (name, value) if TYPE_KEYWORDS.contains(&name) => value.clone(),
            _ => return None,
        };
        Some((keyword.clone(), kept))
    };
    Value::Object(keywords.iter().filter_map(keep).collect())
}

/// A schema whose absent fields stay absent.
fn without_defaults(schema: &Value) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let keep = |(keyword, value): (&String, &Value)| {
        let kept = match (keyword.as_str(), value) {
            ("default", _) => return None,
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), without_defaults(field)));
                fields.collect::<Map<_, _>>().into()
            }
            ("items" | "additionalProperties", value) => without_defaults(value),
            (_, value) => value.clone(),
        };
        Some((keyword.clone(), kept))
    };
    Value::Object(keywords.iter().filter_map(keep).collect())
}

/// The schema of a kind that a policy matches; `None` if its types are unknown.
fn policy_schema(unit: &ComparableUnit, kind: &SubjectKind, run: &RunResources) -> Option<Value> {
    let UnitContent::Policy(policy) = &unit.content else { return None };
    let is_it = |subject: &kvrules_crd::PolicySubject| {
        let own = SubjectKind {
            group: subject.group.clone(),
            version: subject.version.clone(),
            kind: subject.kind.clone(),
            plural: subject.resource.clone(),
        };
        own.fits(kind)
    };
    let subject = policy_subjects(&policy.value, run.resources()).into_iter().find(is_it)?;
    let mut schema = without_rules(&subject.object);
    let is_defined = run.definitions().any(|definition| {
        definition.pointer("/spec/group").and_then(Value::as_str) == Some(&subject.group)
            && definition.pointer("/spec/names/kind").and_then(Value::as_str) == Some(&subject.kind)
    });
    if !is_defined {
        drop_requirements(&mut schema);
    }
    Some(schema)
}

fn add_policy_fields(schema: &mut Value, unit: &ComparableUnit, kind: &SubjectKind, run: &RunResources) {
    if let Some(theirs) = policy_schema(unit, kind, run) {
        add_fields(schema, &types_only(&theirs, false));
    }
}

/// The types of the documents of a JSON Schema, as far as they have fields with these names.
fn document_types(unit: &ComparableUnit, names: &BTreeSet<String>) -> Option<Value> {
    let UnitContent::JsonSchema(schema) = &unit.content else { return None };
    let document = Arc::new(schema.source.document().clone());
    let pointer = schema.source.pointer();
    let component = (!pointer.is_empty()).then(|| format!("#{pointer}"));
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let find = |steps: &usize| {
        RuleSubject::of_documents(&document, &unit.name, component.as_deref(), &names, *steps).ok()
    };
    let subject = STEPS.iter().find_map(find)?;
    Some(types_only(&subject.schema, false))
}

/// The names of fields that the units may mean.
fn mentioned_names(units: [&ComparableUnit; 2]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        ["apiVersion", "kind", "metadata", "name", "generateName"].map(str::to_owned).into();
    let mut add = |text: &str| names.extend(words_in(text).map(str::to_owned));
    for unit in units {
        match &unit.content {
            UnitContent::Policy(policy) => add(&policy.value.to_string()),
            UnitContent::JsonSchema(schema) => add(&schema.source.document().to_string()),
            UnitContent::Rules(set) => annotation_expressions(set).for_each(|text| add(&text)),
            _ => {}
        }
    }
    names
}
