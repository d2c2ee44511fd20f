//! Writes of objects of a definition.

use kvrules_apiserver::crd::{Failure, NOWHERE};
use kvrules_apiserver::object::Admission;
use kvrules_generate::PlaceStep;
use serde_json::Value;

use crate::answer::{AnswerVerdict, AnswerWarning, CaseAnswer, Violation};
use crate::document::{field, text_field};
use crate::model::{CaseWrites, TestCase};
use crate::subject::{DefinitionSubject, definition_rule_name};

/// Returns the answer of the server about the writes of a case.
pub(super) fn answer_definition(definition: &DefinitionSubject, case: &TestCase) -> CaseAnswer {
    let server = case.input.server;
    if let Some(refusal) = definition.list_refusals(server).first() {
        return CaseAnswer::unevaluated(format!("the server refuses the definition: {refusal}"));
    }
    let stored = match store_initial(case, definition) {
        Ok(stored) => stored,
        Err(answer) => return *answer,
    };
    let object = with_stored_name(&case.input.object, stored.as_ref());
    let Some(schema) = definition.find_schema(text_field(&object, "apiVersion"), server) else {
        return CaseAnswer::unevaluated(no_version(&object));
    };
    let old = stored.clone().unwrap_or_default();
    let to_answer = |object: &Value, admission: Admission, is_status| {
        let answer = to_answer(definition, (object, admission), is_status);
        CaseAnswer { old: old.clone(), ..answer }
    };
    if case.input.writes == CaseWrites::Status {
        return match &stored {
            Some(stored) if schema.has_status() => {
                to_answer(&object, schema.admit_status(&object, stored), true)
            }
            Some(_) => CaseAnswer::unevaluated("the definition has no subresource `status`"),
            None => CaseAnswer::unevaluated("a write of the status needs a stored object"),
        };
    }
    let written = schema.admit_object(&object, stored.as_ref());
    let has_status = case.input.writes == CaseWrites::ObjectThenStatus
        && schema.has_status()
        && written.is_accepted()
        && !field(&object, "status").is_null();
    if has_status {
        let written = schema.admit_status(&object, &written.stored);
        return to_answer(&object, written, true);
    }
    to_answer(&object, written, false)
}

/// Stores the old object of a case, by the definition that it was written under.
fn store_initial(case: &TestCase, definition: &DefinitionSubject) -> Result<Option<Value>, Box<CaseAnswer>> {
    let old = &case.input.old_object;
    if old.is_null() {
        return Ok(None);
    }
    let server = case.input.server;
    let (api_version, kind) = (text_field(old, "apiVersion"), text_field(old, "kind"));
    let initial = case.input.initial_subject.as_deref();
    let initial = initial.and_then(|it| it.find_definition(api_version, kind)).unwrap_or(definition);
    if let Some(refusal) = initial.list_refusals(server).first() {
        let text = format!("the server refuses the patched definition: {refusal}");
        return Err(Box::new(CaseAnswer::unevaluated(text)));
    }
    let Some(schema) = initial.find_schema(api_version, server) else {
        return Err(Box::new(CaseAnswer::unevaluated(no_version(old))));
    };
    let rejected = |admission: &Admission| {
        let texts: Vec<String> = admission.errors.iter().map(Failure::to_message).collect();
        let text = format!("the stored object is itself rejected: {}", texts.join(", "));
        Box::new(CaseAnswer::unevaluated(text))
    };
    let created = schema.admit_object(old, None);
    if !created.is_accepted() {
        return Err(rejected(&created));
    }
    if field(old, "status").is_null() || !schema.has_status() {
        return Ok(Some(created.stored));
    }
    let written = schema.admit_status(old, &created.stored);
    if written.is_accepted() { Ok(Some(written.stored)) } else { Err(rejected(&written)) }
}

/// An update is addressed to the stored object, so it has its name.
fn with_stored_name(object: &Value, stored: Option<&Value>) -> Value {
    let mut object = object.clone();
    let name = stored.and_then(|stored| stored.pointer("/metadata/name")).cloned();
    if let (Some(name), Some(metadata)) = (name, object.get_mut("metadata").and_then(Value::as_object_mut)) {
        metadata.insert("name".to_owned(), name);
    }
    object
}

fn no_version(object: &Value) -> String {
    format!("the definition does not serve `{}`", text_field(object, "apiVersion"))
}

fn to_answer(
    definition: &DefinitionSubject,
    (object, admission): (&Value, Admission),
    is_about_status: bool,
) -> CaseAnswer {
    let by_rules = admission.by_rules;
    let violation = |failure: &Failure| {
        let is_rule = by_rules.contains(failure);
        Violation {
            field: Some(&failure.field).filter(|it| *it != NOWHERE).cloned().unwrap_or_default(),
            rules: if is_rule { rule_names(definition, failure) } else { Vec::new() },
            texts: failure_texts(failure, is_rule),
            is_error: is_rule && failure.detail.contains(" evaluating rule: "),
        }
    };
    let warning = |text: String| AnswerWarning { message: text.clone(), text };
    CaseAnswer {
        verdict: if admission.errors.is_empty() { AnswerVerdict::Accepted } else { AnswerVerdict::Rejected },
        object: object.clone(),
        violations: admission.errors.iter().map(violation).collect(),
        warnings: admission.warnings.into_iter().map(warning).collect(),
        stored: admission.stored,
        ran_rules: admission.cost.is_some(),
        subject: describe_object(object),
        is_about_status,
        ..CaseAnswer::default()
    }
}

/// Returns the beginning of the message about an object that is rejected.
// apimachinery api/errors/errors.go, NewInvalid
fn describe_object(object: &Value) -> String {
    let (group, _) = text_field(object, "apiVersion").rsplit_once('/').unwrap_or_default();
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    format!("{}.{group} {name:?} is invalid: ", text_field(object, "kind"))
}

/// Returns the names of the rules that may have reported a failure: those with its message, or that compute theirs, at places
/// that its field is at or below.
fn rule_names(definition: &DefinitionSubject, failure: &Failure) -> Vec<String> {
    let mut names = Vec::new();
    for (_, rule) in definition.rules() {
        let text = rule.source.rule.trim();
        let has_text = |own: &str| !own.is_empty() && failure.detail.ends_with(own);
        let is_its = has_text(rule.source.message.trim())
            || failure.detail == format!("failed rule: {text}")
            || failure.detail.ends_with(&format!(" evaluating rule: {text}"))
            || !rule.source.message_expression.is_empty();
        if is_its && is_at_place(&rule.place, &failure.field) {
            names.push(definition_rule_name(&rule));
            names.extend([rule.source.message, rule.source.rule].into_iter().filter(|it| !it.is_empty()));
        }
    }
    names
}

/// True if a field is at or below a place.
fn is_at_place(place: &[PlaceStep], field: &str) -> bool {
    let mut rest = if field == NOWHERE { "" } else { field };
    for step in place {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        rest = match step {
            PlaceStep::Field(name) => match rest.strip_prefix(name.as_str()) {
                Some(rest) => rest,
                None => return false,
            },
            PlaceStep::Any => match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((_, rest)) => rest,
                None => return false,
            },
        };
    }
    rest.is_empty() || rest.starts_with(['.', '['])
}

/// Returns the texts of an error: as the server writes it, and as servers before 1.34 did. For a rule that is false these show the
/// type, and for an object Go's syntax.
// apimachinery field/errors.go, (*Error).ErrorBody, before and after the change of the value that rules report
fn failure_texts(failure: &Failure, is_rule: bool) -> Vec<String> {
    let mut texts = vec![failure.to_message()];
    let with_value = |value: &str| Failure { value: value.to_owned(), ..failure.clone() }.to_message();
    if is_rule {
        // The schema of an int-or-string has no type.
        let types = ["object", "array", "string", "integer", "number", "boolean", ""];
        texts.extend(types.iter().map(|name| with_value(&format!("\"{name}\""))));
    }
    if failure.value == "null" {
        texts.push(with_value("\"null\""));
    }
    if failure.reason == "FieldValueDuplicate" {
        texts.push(with_value(&format!("map[string]interface {{}}{}", failure.value)));
    }
    texts
}
