//! Whole objects that the server accepts.

use std::cell::LazyCell;

use kvrules_apiserver::object::{Admission, ObjectSchema};
use kvrules_generate::ObjectGenerator;
use serde_json::{Value as Json, json};

use super::satisfied::{place_rules, satisfied_values};
use super::tidy::{TIDYING, in_usual_order, tidy_value};
use super::value::{Fill, ValueWriter};

/// Objects of a version that the server accepts, as far as they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampleObjects {
    /// The smallest that was found.
    pub(crate) minimal: Option<Json>,
    /// One with as many fields as a reader can use.
    pub(crate) full: Option<Json>,
}

/// Number of values in the full object. A reader of more has the list of fields.
const FULL: usize = 120;

/// Number of generated objects that are tried.
const TRIES: usize = 40;

/// Number of fields that are taken away because the server rejects them.
const REPAIRS: usize = 60;

/// Returns objects of a version of a definition: `api_version` and `kind`, its schema, and whether it has a namespace.
pub(crate) fn sample_objects(definition: &Json, listed: &Json, head: &Json) -> SampleObjects {
    let Some(server) = ObjectSchema::of_version(definition, listed) else { return SampleObjects::default() };
    let whole = server.declared_schema();
    let schema = without_status(whole.clone());
    // Rules are lifted if an object violates one.
    let rules = LazyCell::new(|| place_rules(&schema, true));
    let find = |fill, budget| {
        let written = with_head(ValueWriter { fill, budget }.write_value("", &schema, 0), head);
        let admission = server.admit_object(&written, None);
        if is_clean(&admission) {
            return Some(written);
        }
        let changed = || {
            let start = server.decode_new_object(&written)?;
            let is_accepted =
                |object: &Json| has_head(object, head) && is_clean(&server.admit_object(object, None));
            satisfied_values(&rules, &start, None, None).find(is_accepted)
        };
        let changed = if admission.by_rules.is_empty() { None } else { changed() };
        changed.or_else(|| repaired(written, &server, head))
    };
    let minimal = find(Fill::Required, 0).or_else(|| generated(&schema, &server, head));
    let minimal = minimal.map(|object| {
        let kept = head_of(&object, head);
        let accepted = tidy_value(object, "", whole, TIDYING, &mut |object| {
            head_of(object, head) == kept && is_clean(&server.admit_object(object, None))
        });
        in_order(&accepted, head)
    });
    let full = find(Fill::All, FULL).filter(|full| Some(full) != minimal.as_ref());
    SampleObjects { minimal, full: full.map(|object| in_order(&object, head)) }
}

fn is_clean(admission: &Admission) -> bool {
    admission.is_accepted() && admission.warnings.is_empty()
}

fn without_status(mut schema: Json) -> Json {
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        for name in ["status", "metadata", "apiVersion", "kind"] {
            properties.remove(name);
        }
    }
    schema
}

fn with_head(mut object: Json, head: &Json) -> Json {
    if let (Json::Object(fields), Json::Object(head)) = (&mut object, head) {
        fields.extend(head.clone());
    }
    object
}

/// True if an object has the version, kind and metadata of a head. A rule may ask for another name.
fn has_head(object: &Json, head: &Json) -> bool {
    let is_same = |(name, value): (&String, &Json)| match (object.get(name), value) {
        (Some(Json::Object(own)), Json::Object(value)) => {
            own.len() == value.len()
                && value.iter().all(|(name, value)| match name.as_str() {
                    "name" => own.get(name).and_then(Json::as_str).is_some_and(|name| !name.is_empty()),
                    _ => own.get(name) == Some(value),
                })
        }
        (own, value) => own == Some(value),
    };
    head.as_object().into_iter().flatten().all(is_same)
}

/// The version, kind and metadata of an object.
fn head_of(object: &Json, head: &Json) -> Vec<Option<Json>> {
    head.as_object().into_iter().flatten().map(|(name, _)| object.get(name).cloned()).collect()
}

/// The fields of the head first, as people write it.
fn in_order(object: &Json, head: &Json) -> Json {
    let mut fields = head.as_object().cloned().unwrap_or_default();
    for (name, value) in object.as_object().into_iter().flatten() {
        fields.insert(name.clone(), in_usual_order(value));
    }
    Json::Object(fields)
}

fn generated(schema: &Json, server: &ObjectSchema, head: &Json) -> Option<Json> {
    let mut generator = ObjectGenerator::new(schema);
    let objects = (0..TRIES).map(|index| with_head(generator.generate_valid(index), head));
    objects.into_iter().find(|object| is_clean(&server.admit_object(object, None)))
}

/// Takes away what the server rejects until it accepts the rest.
fn repaired(mut object: Json, server: &ObjectSchema, head: &Json) -> Option<Json> {
    for _ in 0..REPAIRS {
        let admission = server.admit_object(&object, None);
        if is_clean(&admission) {
            return Some(object);
        }
        let error = admission.errors.first()?;
        if !drop_near(&mut object, &error.field) || !has_head(&object, head) {
            return None;
        }
    }
    None
}

/// Takes away the value of a path of an error, such as `spec.ports[0].port`; of one that is required, the object without it.
fn drop_near(object: &mut Json, path: &str) -> bool {
    let normal = path.replace("['", ".").replace("']", "").replace('[', ".").replace(']', "");
    let mut steps: Vec<&str> = normal.split('.').filter(|step| !step.is_empty()).collect();
    while !steps.is_empty() {
        if drop_at(object, &steps) {
            return true;
        }
        steps.pop();
    }
    false
}

fn drop_at(object: &mut Json, steps: &[&str]) -> bool {
    let Some((last, before)) = steps.split_last() else { return false };
    let parent = before.iter().try_fold(object, |value, step| match value {
        Json::Object(fields) => fields.get_mut(*step),
        Json::Array(items) => step.parse().ok().and_then(|index: usize| items.get_mut(index)),
        _ => None,
    });
    match parent {
        Some(Json::Object(fields)) => fields.remove(*last).is_some(),
        Some(Json::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// The beginning of an object: its version, kind and metadata.
pub(crate) fn object_head(api_version: &str, kind: &str, is_namespaced: bool) -> Json {
    let metadata = if is_namespaced {
        json!({"name": "example", "namespace": "default"})
    } else {
        json!({"name": "example"})
    };
    json!({"apiVersion": api_version, "kind": kind, "metadata": metadata})
}

/// An object with the fields of another added; of an object that both have, the fields of both. Other values stay.
pub(crate) fn with_parts(head: &Json, parts: &Json) -> Json {
    let mut object = head.clone();
    let Some(fields) = object.as_object_mut() else { return object };
    for (name, value) in parts.as_object().into_iter().flatten() {
        match (fields.get_mut(name), value) {
            (Some(Json::Object(own)), Json::Object(value)) => own.extend(value.clone()),
            (Some(_), _) => {}
            (None, _) => _ = fields.insert(name.clone(), in_usual_order(value)),
        }
    }
    object
}
