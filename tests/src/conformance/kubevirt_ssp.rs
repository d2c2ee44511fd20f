//! Answers of the template validator as deployed: `rules` is an annotation, `vm` a VirtualMachine, `expected` what the
//! validator answered. `kvrules-template-validator` must answer the same, word for word, with two exceptions that a row itself
//! declares.
//!
//! - `"errorText": "engine-dependent"`: why a text does not decode is worded differently by Go's two JSON engines. That
//!   it does not decode, and which of the two texts, is compared; the words are not.
//! - `"nondeterministic": true`: values come in the random order of a Go map. Only the verdict is compared.

use serde_json::Value;

use super::{CaseFormat, Outcome, row::CaseRow};

pub(super) const FORMAT: CaseFormat =
    CaseFormat { name: "kubevirt-ssp", recognises: is_case, judge: run_case };

fn is_case(row: &CaseRow) -> bool {
    row.string_member("rules").is_some()
        && row.raw_member("vm").is_some()
        && row.value_member("expected").is_some_and(|expected| expected.is_object())
        && row.raw_member("differs").is_none()
}

pub(super) fn run_case(row: &CaseRow) -> Outcome {
    let rules = row.string_member("rules").unwrap_or_default();
    let expected = row.value_member("expected").unwrap_or_default();
    // As it is written: how a number is spelled decides whether it decodes, so the VirtualMachine is not parsed here.
    let answer =
        kvrules_template_validator::evaluate_annotation(&rules, row.raw_member("vm").unwrap_or_default());
    let actual = match serde_json::to_value(answer) {
        Ok(actual) => actual,
        Err(error) => Value::String(format!("the answer cannot be written: {error}")),
    };
    if compared_part(row, &expected) == compared_part(row, &actual) {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: expected.to_string(), actual: actual.to_string() }
}

/// Returns the compared part of an answer to a row.
fn compared_part(row: &CaseRow, answer: &Value) -> Value {
    if row.value_member("nondeterministic") == Some(Value::Bool(true)) {
        return answer.get("succeeded").cloned().unwrap_or_default();
    }
    let mut answer = answer.clone();
    if row.string_member("errorText").as_deref() == Some("engine-dependent") {
        for key in ["vmError", "parseError"] {
            if let Some(error) = answer.get_mut(key).filter(|error| error.is_string()) {
                *error = Value::Bool(true);
            }
        }
    }
    answer
}
