//! Objects of CustomResourceDefinitions: what we say of one beside what an API server was recorded to say, aspect by aspect.

use kvrules::eval::CrdAnswer;
use kvrules_apiserver::object::Admission;
use serde_json::{Value, json};

/// Answer to an object, in the form of the records.
pub struct RecordedAnswer {
    /// `create` or `update`.
    pub operation: &'static str,
    /// Each error with its type, field and words, in the order of the records.
    pub errors: Value,
    /// Warnings of the server.
    pub warnings: Value,
    /// The object after pruning and defaults.
    pub stored: Value,
    /// Cost of the rules; `None` if they were not run.
    pub cost: Option<u64>,
}

/// One thing that is compared.
pub struct ComparedAspect {
    /// Name, such as `errors`.
    pub name: &'static str,
    /// Recorded value.
    pub recorded: Value,
    /// Actual value.
    pub ours: Value,
}

impl RecordedAnswer {
    /// The answer of an engine about an object that is created, or with `is_update` about one that takes the place of another.
    pub fn of_engine(admission: Admission, is_update: bool) -> Self {
        let error = |it: &kvrules_apiserver::crd::Failure| error_json(&it.reason, &it.field, &it.detail);
        Self {
            operation: if is_update { "update" } else { "create" },
            errors: sorted_errors(admission.errors.iter().map(error).collect()),
            warnings: admission.warnings.into(),
            stored: admission.stored,
            cost: admission.cost,
        }
    }

    /// The answer of the façade, in which the stored object is there when it was made with a trace.
    pub fn of_facade(answer: &CrdAnswer) -> Self {
        Self {
            operation: answer.operation,
            errors: sorted_errors(
                answer.errors.iter().map(|it| error_json(&it.kind, &it.field, &it.detail)).collect(),
            ),
            warnings: answer.warnings.clone().into(),
            stored: answer.stored.clone().unwrap_or_default(),
            cost: answer.cost,
        }
    }

    /// Everything that is recorded of an object, with what we say of it. `sent` is the object as it was sent.
    ///
    /// A cost that is not recorded is not compared: there are no rules, they were not asked, or the order of a map decides it.
    pub fn compare_with_record(&self, sent: &Value, expect: &Value) -> Vec<ComparedAspect> {
        let aspect = |name, recorded, ours| ComparedAspect { name, recorded, ours };
        let errors = or_empty(&expect["errors"]);
        let is_accepted = |errors: &Value| Value::from(errors.as_array().is_none_or(Vec::is_empty));
        let accepted =
            if expect["valid"].is_boolean() { expect["valid"].clone() } else { is_accepted(&errors) };
        let mut aspects = vec![
            aspect("operation", expect["op"].clone(), self.operation.into()),
            aspect("accepted", accepted, is_accepted(&self.errors)),
            aspect("errors", errors, self.errors.clone()),
            aspect("warnings", or_empty(&expect["warnings"]), self.warnings.clone()),
            aspect("stored", expect["effective"].clone(), self.effective(sent)),
        ];
        if !expect["celCost"].is_null() {
            aspects.push(aspect("celCost", expect["celCost"].clone(), self.cost.into()));
        }
        aspects
    }

    /// The stored content, which the records have where it is not what was sent.
    fn effective(&self, sent: &Value) -> Value {
        let stored = content_members(&self.stored);
        if stored == content_members(&as_read(sent)) { Value::Null } else { stored }
    }
}

/// Returns errors in the order of the records.
fn sorted_errors(mut errors: Vec<Value>) -> Value {
    let text = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
    errors.sort_by_cached_key(|error| ["field", "type", "detail"].map(|key| text(error, key)));
    errors.into()
}

fn error_json(kind: &str, field: &str, detail: &str) -> Value {
    json!({"type": kind, "field": field, "detail": detail})
}

/// Returns the members other than metadata.
fn content_members(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    }
    object
}

/// A list that the records leave out when it is empty.
pub fn or_empty(list: &Value) -> Value {
    if list.is_null() { Value::Array(Vec::new()) } else { list.clone() }
}

/// A document as a server reads it: integers beyond 64 bits are floats.
fn as_read(sent: &Value) -> Value {
    match sent {
        Value::Number(number) if !number.is_i64() => number.as_f64().into(),
        Value::Array(items) => items.iter().map(as_read).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), as_read(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
