//! Decides if a server accepts an object by a structural schema and its rules, as [`ObjectSchema`] does.
//!
//! An object is taken when the server stores all of it: what it would drop as unknown counts as refused, as it is under
//! strict field validation, which `kubectl` asks for by default. Of an update, errors at what has not changed are excused
//! as the server excuses them. Where the status is a subresource, a write of the whole object leaves it aside, and a write to
//! the status leaves all else aside.

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::object::{Admission, ObjectSchema, error_path};
use serde_json::Value;

use super::place::{ObjectStep, path_text, read_path};
use super::version::{STATUS, Version};

/// A schema, ready to evaluate objects. The name of an object is not asked for.
#[derive(Debug)]
pub struct SchemaEvaluator {
    schema: ObjectSchema,
    has_status: bool,
}

/// One reason to refuse an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRefusal {
    /// Location in the object.
    pub path: Vec<ObjectStep>,
    /// Cause of the rejection: `schema`, `rule` or `unknown field`.
    pub by: &'static str,
    /// Reason, in a few words.
    pub text: String,
}

/// Answer of a server to an object.
#[derive(Clone, Debug, Default)]
pub struct AdmissionVerdict {
    /// Reasons why it rejects the object; empty if it accepts it.
    pub refusals: Vec<ObjectRefusal>,
}

impl AdmissionVerdict {
    /// True if the object is accepted.
    pub fn is_accepted(&self) -> bool {
        self.refusals.is_empty()
    }

    /// True if the object is rejected.
    pub fn is_refused(&self) -> bool {
        !self.is_accepted()
    }

    /// The same without unknown fields, which a server drops unless a client asks for strict validation; and their places.
    pub fn without_unknown_fields(self) -> (Self, Vec<Vec<ObjectStep>>) {
        let (unknown, refusals): (Vec<_>, Vec<_>) =
            self.refusals.into_iter().partition(|refusal| refusal.by == UNKNOWN);
        (Self { refusals }, unknown.into_iter().map(|refusal| refusal.path).collect())
    }

    /// The first reason, with its place.
    pub fn first_reason(&self) -> String {
        self.refusals.first().map(ObjectRefusal::to_message).unwrap_or_default()
    }
}

impl ObjectRefusal {
    /// The reason with its place.
    pub fn to_message(&self) -> String {
        let at = path_text(&self.path);
        if at.is_empty() { self.text.clone() } else { format!("{at}: {}", self.text) }
    }
}

impl SchemaEvaluator {
    /// Makes a version ready; a schema by itself, the value of `openAPIV3Schema`, has no subresources.
    pub fn new<'s>(version: impl Into<Version<'s>>) -> Self {
        let Version { schema, has_status } = version.into();
        Self {
            schema: ObjectSchema::new(schema).with_status(has_status).without_metadata_checks(),
            has_status,
        }
    }

    /// Returns the answer to a new object.
    pub fn evaluate_create(&self, object: &Value) -> AdmissionVerdict {
        to_verdict(object, &self.schema.admit_object(object, None))
    }

    /// Returns the answer to an update of a stored object.
    pub fn evaluate_update(&self, object: &Value, old: &Value) -> AdmissionVerdict {
        to_verdict(object, &self.schema.admit_object(object, Some(old)))
    }

    /// Returns the answer to a write of the status of an object: to the subresource, or if there is none, of the whole
    /// object.
    ///
    /// ```
    /// use kvrules_diff::schema::{SchemaEvaluator, Version};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"status": {"type": "integer", "maximum": 5}}});
    /// let evaluator = SchemaEvaluator::new(Version { schema: &schema, has_status: true });
    /// assert!(evaluator.evaluate_create(&json!({"status": 6})).is_accepted());
    /// assert!(evaluator.write_status(&json!({"status": 6}), &json!({})).is_refused());
    /// ```
    pub fn write_status(&self, object: &Value, old: &Value) -> AdmissionVerdict {
        if self.has_status {
            to_verdict(object, &self.schema.admit_status(object, old))
        } else {
            self.evaluate_update(object, old)
        }
    }

    /// Returns the answer to the creation of an object, followed by a write of its status.
    pub fn evaluate_existing(&self, object: &Value) -> AdmissionVerdict {
        let mut verdict = self.evaluate_create(object);
        if self.has_status && object.get(STATUS).is_some() {
            let mut bare = object.clone();
            bare.as_object_mut().and_then(|fields| fields.shift_remove(STATUS));
            let more = self.write_status(object, &bare).refusals;
            verdict.refusals.extend(more);
            verdict.refusals.dedup();
        }
        verdict
    }
}

fn to_verdict(object: &Value, answer: &Admission) -> AdmissionVerdict {
    let unknown = answer.unknown.iter().map(|path| ObjectRefusal {
        path: read_path(path, object),
        by: UNKNOWN,
        text: "unknown field, which would be dropped".to_owned(),
    });
    let errors = answer.object_errors().map(|error| {
        let by = if answer.by_rules.contains(error) { RULE } else { SCHEMA };
        to_refusal(error, by, read_path(error_path(error), &answer.stored))
    });
    AdmissionVerdict { refusals: unknown.chain(errors).collect() }
}

/// A rule refuses it.
pub(super) const RULE: &str = "rule";
/// The schema does.
const SCHEMA: &str = "schema";
/// It has a field that the schema does not know.
const UNKNOWN: &str = "unknown field";

/// Returns the server's message about a value, without the path, which is reported separately, and with the value if
/// that helps.
fn to_refusal(error: &Failure, by: &'static str, mut path: Vec<ObjectStep>) -> ObjectRefusal {
    let (value, mut detail) = (&error.value, error.detail.as_str());
    if detail.is_empty() {
        let text = match (error.reason.as_str(), path.last()) {
            ("FieldValueRequired", Some(ObjectStep::Field(name))) => {
                let text = format!("`{name}` is required");
                path.pop();
                text
            }
            ("FieldValueDuplicate", _) => format!("duplicate value {value}"),
            _ => error.to_message(),
        };
        return ObjectRefusal { path, by, text };
    }
    if by == RULE {
        return ObjectRefusal { path, by, text: detail.to_owned() };
    }
    // The server checks a written status as a root of its own, and names fields from there.
    let at = error_path(error);
    let of_status = at.strip_prefix("status.").or_else(|| at.strip_prefix("status"));
    detail = [Some(at), of_status].into_iter().flatten().fold(detail, without_path);
    let says = |words: &[&str]| words.iter().any(|words| detail.starts_with(words));
    let text = if let Some(values) = detail.strip_prefix("supported values: ") {
        format!("{value} is not one of {values}")
    } else if says(&["should be ", "should match ", "may not be more than "]) {
        format!("{value} {detail}")
    } else {
        detail.to_owned()
    };
    ObjectRefusal { path, by, text }
}

/// The words of a refusal without the path `at`, at their beginning or their end.
fn without_path<'d>(mut detail: &'d str, at: &str) -> &'d str {
    if let Some((before, after)) = detail.split_once(" in body ") {
        detail = if before.strip_prefix('.').unwrap_or(before) == at { after } else { detail };
    }
    let quoted =
        detail.strip_prefix('"').and_then(|rest| rest.strip_prefix('.').unwrap_or(rest).strip_prefix(at));
    detail = quoted.and_then(|rest| rest.strip_prefix("\" ")).unwrap_or(detail);
    detail.strip_suffix(at).and_then(|words| words.strip_suffix(" in ")).unwrap_or(detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_is_told_by_place_and_in_the_words_of_the_server() {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer", "maximum": 5},
            "i": {"type": "integer", "format": "int32"},
            "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "m": {"type": "object", "additionalProperties": {"type": "string", "enum": ["a"]}},
            "e": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
            "o": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        }});
        let evaluator = SchemaEvaluator::new(&schema);
        let reason = |object: Value| evaluator.evaluate_create(&object).first_reason();
        assert_eq!(reason(json!({"n": 6})), "n: 6 should be less than or equal to 5");
        assert_eq!(
            reason(json!({"i": 1_i64 << 40})),
            "i: Checked value must be of type integer with format int32"
        );
        assert_eq!(reason(json!({"s": ["x", "x"]})), "s[1]: duplicate value \"x\"");
        assert_eq!(reason(json!({"m": {"k.k": "b"}})), "m['k.k']: \"b\" is not one of \"a\"");
        assert_eq!(reason(json!({"e": {}})), "e: `x` is required");
        assert_eq!(
            reason(json!({"o": {}})),
            "o: must validate one and only one schema (oneOf). Found none valid"
        );
        assert_eq!(reason(json!({"z": 1})), "z: unknown field, which would be dropped");
    }
}
