//! Answers of a Kubernetes API server about single rules: `rule` at a field `x` with `schema`, `definition` what the server says of a
//! CustomResourceDefinition with it, `object_` what it says of an object with the value `object` there.

use kvrules_apiserver::definition::{DefinitionReview, review_definition};
use kvrules_apiserver::field_error::{ErrorType, FieldError};
use kvrules_apiserver::object::ObjectSchema;
use serde_json::{Value, json};

use super::kubernetes_crd::{AnswerDifferences, in_neutral_names};
use super::{CaseFormat, Outcome, row::CaseRow};

pub(super) const FORMAT: CaseFormat = CaseFormat { name: "kubernetes-rule", recognises: is_case, judge };

fn is_case(row: &CaseRow) -> bool {
    ["rule", "schema", "object", "definition", "object_"].iter().all(|key| row.raw_member(key).is_some())
}

fn judge(row: &CaseRow) -> Outcome {
    let member = |key| row.value_member(key).unwrap_or_default();
    let (expect, of_object) = (member("definition"), member("object_"));
    let crd = definition_with_rule(member("schema"), &member("rule"));
    let review = review_definition(&crd, None);
    let mut unlike = AnswerDifferences::default();
    unlike.compare("accepted", expect["accepted"].clone(), review.is_accepted().into());
    let all = review.all_errors();
    let of_rule = |error: &FieldError| {
        let (words, value) = (error.error_type.message_name(), shown_rule(&member("rule")));
        let shown =
            if error.error_type == ErrorType::Invalid { format!("{words}: {value}") } else { words.into() };
        error_json(error.error_type.cause_name(), &error.field, &format!("{shown}: {}", error.detail))
    };
    unlike.compare(
        "errors",
        sorted_errors(&expect["errors"]),
        sorted_errors(&all.iter().map(of_rule).collect()),
    );
    let rules = || review.schemas.iter().flat_map(|schema| &schema.report.rules);
    // The records have 0 for a rule that does not compile.
    let costs: Vec<u64> = rules().map(|rule| rule.estimated_cost.unwrap_or_default()).collect();
    unlike.compare("cost", expect["cost"].clone(), costs.into());
    let errors = object_errors(&crd, &review, &member("object"));
    let is_accepted = errors.as_array().is_some_and(Vec::is_empty);
    unlike.compare("object accepted", of_object["accepted"].clone(), is_accepted.into());
    unlike.compare("object errors", sorted_errors(&of_object["errors"]), errors);
    unlike.outcome()
}

fn definition_with_rule(mut schema: Value, rule: &Value) -> Value {
    schema["x-kubernetes-validations"] = json!([{ "rule": rule }]);
    let root = json!({"type": "object", "properties": {"x": schema}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": root}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"},
            "versions": [version],
        },
    })
}

/// Returns a rule as the errors of a definition show it.
// apiextensions types_jsonschema.go, ValidationRule
fn shown_rule(rule: &Value) -> String {
    let empty = r#""Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null"#;
    format!(r#"{{"Rule":{rule},{empty}}}"#)
}

/// Returns the errors of an object. Those of a rule that does not compile are the compiler's.
fn object_errors(crd: &Value, review: &DefinitionReview, value: &Value) -> Value {
    let rules = review.schemas.iter().flat_map(|schema| &schema.report.rules);
    let broken = rules.filter(|rule| rule.max_cost.is_none()).flat_map(|rule| &rule.errors).next();
    if let Some(error) = broken {
        let detail = format!("Invalid value: \"object\": rule compile error: {}", error.detail);
        return Value::Array(vec![error_json("FieldValueInvalid", "x", &detail)]);
    }
    let object =
        json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "p"}, "x": value});
    let Some(schema) = ObjectSchema::of_version(crd, &crd["spec"]["versions"][0]) else { return Value::Null };
    let errors = schema.admit_object(&object, None).errors;
    let errors = errors.iter().map(|error| {
        let whole = error.to_message();
        let body = whole.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&whole);
        error_json(&error.reason, &error.field, body)
    });
    sorted_errors(&errors.collect())
}

fn error_json(kind: &str, field: &str, detail: &str) -> Value {
    json!({"type": kind, "field": field, "detail": in_neutral_names(detail)})
}

/// Returns errors in one order, without the names that the server makes up.
fn sorted_errors(errors: &Value) -> Value {
    let text = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
    let mut errors: Vec<Value> = errors
        .as_array()
        .into_iter()
        .flatten()
        .map(|error| error_json(&text(error, "type"), &text(error, "field"), &text(error, "detail")))
        .collect();
    errors.sort_by_key(Value::to_string);
    errors.into()
}
