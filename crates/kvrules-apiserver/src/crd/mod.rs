//! The rules of a CustomResourceDefinition over an object: `x-kubernetes-validations` at every node of its schema.
//!
//! Types, bounds and patterns are the schema validation's business and come first on the server; what is here
//! expects an object that has passed it, pruned and with defaults filled in.

mod correlation;
mod message;
mod rule;
mod walk;

use std::sync::Arc;

use kvrules_cel::Expressions;
use serde_json::Value as Json;

use crate::field_error::ErrorType;
use crate::server::ServerFeatures;

pub use crate::field_path::normalize_field_path;
pub(crate) use correlation::CorrelatedValue;
pub(crate) use message::is_usable as is_usable_message;
pub use message::{ConstantMessage, constant_message};
pub use rule::{Rule, RuleSource};

use walk::RuleNode;
pub(crate) use walk::has_rules;

/// The cost that all evaluations for one object may have together.
// apiserver apis/cel/config.go, RuntimeCELCostBudget
pub const OBJECT_LIMIT: u64 = 10_000_000;

/// A structural schema whose rules have been parsed; good for any number of objects.
#[derive(Debug)]
pub struct CompiledSchema {
    root: RuleNode,
    schema: Arc<Json>,
    /// As the rules of the root see it, if there are some.
    seen: Option<Box<Json>>,
    server: ServerFeatures,
}

/// The server's name for a field without a name, such as the object itself.
// apimachinery field/path.go: a nil path prints as `<nil>`.
pub const NOWHERE: &str = "<nil>";

/// One failure of a rule, as the API reports it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The path in the object; [`NOWHERE`] at the root.
    pub field: String,
    /// The kind, as the API names causes: `FieldValueInvalid`, `FieldValueRequired` and others.
    pub reason: String,
    /// The text.
    pub detail: String,
    /// The value that failed as the server shows it, as JSON; empty if it shows none, as for an object that violates
    /// a rule.
    pub value: String,
}

impl Failure {
    /// A failure whose value the server does not show.
    pub(crate) fn new(field: &str, error_type: ErrorType, detail: &str) -> Self {
        Self {
            field: field.to_owned(),
            reason: error_type.cause_name().to_owned(),
            detail: detail.to_owned(),
            value: String::new(),
        }
    }

    /// The whole text, as in warnings and in the message of an answer.
    ///
    /// ```
    /// use kvrules_apiserver::crd::Failure;
    /// let failure = Failure {
    ///     field: "spec.n".to_owned(),
    ///     reason: "FieldValueInvalid".to_owned(),
    ///     detail: "failed rule: self < 5".to_owned(),
    ///     value: "9".to_owned(),
    /// };
    /// assert_eq!(failure.to_message(), "spec.n: Invalid value: 9: failed rule: self < 5");
    /// ```
    // apimachinery field/errors.go, (*Error).ErrorBody
    pub fn to_message(&self) -> String {
        let kind = ErrorType::of_cause(&self.reason).unwrap_or(ErrorType::Invalid);
        let words = kind.message_name();
        let shows_value = !matches!(
            kind,
            ErrorType::Forbidden | ErrorType::Required | ErrorType::TooLong | ErrorType::Internal
        );
        let mut text =
            if self.field.is_empty() { words.to_owned() } else { format!("{}: {words}", self.field) };
        for part in [if shows_value { self.value.as_str() } else { "" }, &self.detail] {
            if !part.is_empty() {
                text.push_str(": ");
                text.push_str(part);
            }
        }
        text
    }
}

/// Result of the rules for an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleRunReport {
    /// Errors for which the object is rejected; empty if it is accepted.
    pub errors: Vec<Failure>,
    /// Failures that are excused because the value has not changed.
    pub excused: Vec<Failure>,
    /// Cost of the evaluations.
    pub cost: u64,
}

impl CompiledSchema {
    /// Parses the rules of a schema.
    ///
    /// ```
    /// use serde_json::json;
    /// let schema = json!({"type": "object", "properties": {"spec": {
    ///     "type": "object",
    ///     "properties": {"n": {"type": "integer"}},
    ///     "x-kubernetes-validations": [{"rule": "self.n > 1", "message": "too few"}],
    /// }}});
    /// let compiled = kvrules_apiserver::crd::CompiledSchema::new(&schema);
    /// let report = compiled.validate_object(&json!({"spec": {"n": 1}}), None);
    /// assert_eq!(report.errors[0].field, "spec");
    /// assert_eq!(report.errors[0].detail, "too few");
    /// ```
    pub fn new(schema: &Json) -> Self {
        Self::sharing(schema, &Expressions::default())
    }

    /// As [`Self::new`], with expressions that others have parsed.
    pub(crate) fn sharing(schema: &Json, expressions: &Expressions) -> Self {
        Self::of_shared(Arc::new(schema.clone()), expressions)
    }

    /// As [`Self::sharing`], with a schema that others use too.
    pub(crate) fn of_shared(schema: Arc<Json>, expressions: &Expressions) -> Self {
        let root = RuleNode::root(&schema, expressions);
        let seen = root.has_own_rules().then(|| Box::new(with_object_meta(&schema)));
        Self { root, schema, seen, server: ServerFeatures::default() }
    }

    /// On the server of a version.
    #[must_use]
    pub fn on_server(self, server: ServerFeatures) -> Self {
        Self { server, ..self }
    }

    /// True if the schema has a rule.
    pub fn has_rules(&self) -> bool {
        self.root.has_rules()
    }

    /// True if the root has a rule.
    pub(crate) fn has_root_rules(&self) -> bool {
        self.root.has_own_rules()
    }

    /// Runs all rules over an object; with the stored object when it is an update.
    // apiextensions schema/cel/validation.go, (*Validator).Validate
    pub fn validate_object(&self, object: &Json, old: Option<&Json>) -> RuleRunReport {
        self.validate_on(object, old, &self.server)
    }

    /// As [`Self::validate_object`], on another server.
    pub(crate) fn validate_on(
        &self,
        object: &Json,
        old: Option<&Json>,
        server: &ServerFeatures,
    ) -> RuleRunReport {
        let seen = self.seen.as_deref().unwrap_or(&self.schema);
        walk::run_rules(&self.root, [&self.schema, seen], object, old, server)
    }
}

/// Returns the schema of a resource as its rules see it: at the root, and there only, `apiVersion`, `kind` and the names of
/// `metadata` are visible in every object.
// apiextensions schema/cel/model, WithTypeAndObjectMeta
pub fn with_object_meta(schema: &Json) -> Json {
    let mut schema = schema.clone();
    let has_type = |path: &str, ty: &str| {
        schema.pointer(&format!("/properties/{path}/type")).is_some_and(|found| found == ty)
    };
    let names = ["kind", "apiVersion", "metadata/properties/name", "metadata/properties/generateName"];
    if names.iter().all(|name| has_type(name, "string")) && has_type("metadata", "object") {
        return schema;
    }
    let string = || serde_json::json!({"type": "string"});
    let names =
        serde_json::json!({"type": "object", "properties": {"name": string(), "generateName": string()}});
    if let Some(root) = schema.as_object_mut() {
        let properties = root.entry("properties").or_insert_with(|| Json::Object(serde_json::Map::new()));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("apiVersion".to_owned(), string());
            properties.insert("kind".to_owned(), string());
            properties.insert("metadata".to_owned(), names);
        }
    }
    schema
}
