//! Objects of a definition: whether the server stores them, its errors and warnings, what it stores, and what the rules
//! cost.

use std::collections::BTreeMap;

use kvrules_apiserver::object::ObjectSchema;
use serde_json::Value;

use super::{AnswerDifferences, list_items};
use crate::objects::RecordedAnswer;

/// Aspects of objects that are counted, by the compared part.
const ASPECTS: [(&str, &str); 6] = [
    ("operation", "object operation"),
    ("accepted", "object accepted"),
    ("errors", "object errors"),
    ("warnings", "object warnings"),
    ("stored", "object stored"),
    ("celCost", "object celCost"),
];

/// Compares each object that is recorded. There are records where the server accepts the definition; then there is one
/// for each object, in the same order.
pub(super) fn compare_objects(crd: &Value, inputs: &Value, expected: &Value, unlike: &mut AnswerDifferences) {
    let Some(expected) = expected.as_array() else { return };
    unlike.compare("objects", expected.iter().map(name).collect(), list_items(inputs).map(name).collect());
    let mut schemas = PreparedVersions::new(crd);
    for (input, expect) in list_items(inputs).zip(expected) {
        let Some(answer) = schemas.answer(input) else {
            unlike.compare(format!("object {}", name(input)), "judged".into(), "of no version".into());
            continue;
        };
        for aspect in answer.compare_with_record(&input["object"], expect) {
            let counted = ASPECTS.iter().find(|(name, _)| *name == aspect.name).map(|(_, counted)| *counted);
            let place = format!("object {} {}", name(input), aspect.name);
            unlike.compare_as(counted, place, aspect.recorded, aspect.ours);
        }
    }
}

fn name(object: &Value) -> &str {
    object["name"].as_str().unwrap_or_default()
}

/// The versions of a definition, each made ready once an object is of it.
struct PreparedVersions<'c> {
    crd: &'c Value,
    versions: Vec<&'c Value>,
    ready: BTreeMap<usize, ObjectSchema>,
}

impl<'c> PreparedVersions<'c> {
    fn new(crd: &'c Value) -> Self {
        Self { crd, versions: list_items(&crd["spec"]["versions"]).collect(), ready: BTreeMap::new() }
    }

    /// Returns the answer to an object; `None` if the definition has no version for it.
    fn answer(&mut self, input: &Value) -> Option<RecordedAnswer> {
        let object = &input["object"];
        let old = input.get("oldObject").filter(|old| !old.is_null());
        let at = self.version_of(object);
        let version = self.versions.get(at)?;
        if !self.ready.contains_key(&at) {
            self.ready.insert(at, ObjectSchema::of_version(self.crd, version)?);
        }
        // Stored objects were recorded as they are created, and then an object has no status of its own.
        let mut old = old.cloned();
        if version["subresources"]["status"].is_object() {
            old.as_mut().and_then(Value::as_object_mut).map(|old| old.shift_remove("status"));
        }
        let schema = self.ready.get(&at)?;
        Some(RecordedAnswer::of_engine(schema.admit_object(object, old.as_ref()), old.is_some()))
    }

    /// The version that an object names; the first where it names none that is known.
    fn version_of(&self, object: &Value) -> usize {
        let named = object["apiVersion"].as_str().and_then(|it| it.rsplit('/').next());
        let named = named.and_then(|named| self.versions.iter().position(|it| it["name"] == named));
        named.unwrap_or_default()
    }
}
