//! Objects of a definition: what its rules decide, and what they cost.
//!
//! Errors of the schema itself are not ours to find yet. An object with such errors is compared where the server ran
//! the rules all the same, which a recorded cost shows: then each error of ours must be one of the server's.

use kvrules_cel::crd::{CompiledSchema, Failure, Report};
use serde_json::{Map, Value};

use super::{Unlike, items};

/// Compares each object that the rules decide.
pub(super) fn compare(crd: &Value, inputs: &Value, expected: &Value, unlike: &mut Unlike) {
    let Some(version) = items(&crd["spec"]["versions"]).next() else { return };
    let schema = &version["schema"]["openAPIV3Schema"];
    let text = schema.to_string();
    if !expected.is_array() || !text.contains("x-kubernetes-validations") {
        return;
    }
    let compiled = CompiledSchema::new(schema);
    let names_duplicates = text.contains("FieldValueDuplicate");
    for (input, expect) in items(inputs).zip(items(expected)) {
        let recorded = Recorded::read(expect, names_duplicates);
        if recorded.is_decided() {
            recorded.compare(&validate(&compiled, input, expect), unlike);
        }
    }
}

/// What the server says of an object.
struct Recorded<'a> {
    name: &'a str,
    errors: Vec<Failure>,
    /// Some of the errors are not of rules.
    mixed: bool,
    excused: Vec<&'a str>,
    cost: Option<u64>,
}

impl<'a> Recorded<'a> {
    fn read(expect: &'a Value, names_duplicates: bool) -> Self {
        let mut errors: Vec<Failure> = items(&expect["errors"]).map(failure).collect();
        errors.sort();
        // A list's type finds duplicates; a rule only where it gives that reason.
        let mixed = errors
            .iter()
            .any(|it| is_of_schema(it) || (it.reason == "FieldValueDuplicate" && !names_duplicates));
        let warnings = items(&expect["warnings"]).filter_map(Value::as_str);
        Self {
            name: expect["name"].as_str().unwrap_or_default(),
            errors,
            mixed,
            excused: warnings.filter(|it| it.contains(": Invalid value: ")).collect(),
            cost: expect["celCost"].as_u64(),
        }
    }

    /// Whether the rules were run, so far as can be told.
    fn is_decided(&self) -> bool {
        !self.mixed || self.cost.is_some()
    }

    fn compare(&self, report: &Report, unlike: &mut Unlike) {
        let ours: Vec<Failure> =
            report.errors.iter().map(|it| Failure { value: String::new(), ..it.clone() }).collect();
        let place = |what: &str| format!("object {} {what}", self.name);
        let agrees =
            if self.mixed { ours.iter().all(|it| self.errors.contains(it)) } else { ours == self.errors };
        let is_valid = |errors: &[Failure]| Value::from(errors.is_empty());
        if !self.mixed {
            unlike.compare(place("verdict"), is_valid(&self.errors), is_valid(&ours));
        }
        if !agrees {
            unlike.compare(place("errors"), shown(&self.errors), shown(&ours));
        }
        if !self.mixed {
            let excused = report.excused.iter().map(Failure::text).collect();
            unlike.compare(place("warnings"), self.excused.iter().copied().collect(), excused);
        }
        if let Some(cost) = self.cost {
            unlike.compare(place("celCost"), cost.into(), report.cost.into());
        }
    }
}

fn validate(compiled: &CompiledSchema, input: &Value, expect: &Value) -> Report {
    compiled.validate(&effective(&input["object"], &expect["effective"]), input.get("oldObject"))
}

/// What the rules see of an object: recorded where pruning and defaults made it differ from what was sent.
fn effective(sent: &Value, recorded: &Value) -> Value {
    let Some(recorded) = recorded.as_object() else { return sent.clone() };
    let mut object: Map<String, Value> = ["apiVersion", "kind", "metadata"]
        .iter()
        .map(|name| ((*name).to_owned(), sent[*name].clone()))
        .collect();
    object.extend(recorded.clone());
    Value::Object(object)
}

/// Whether an error is one that the schema finds and not a rule. The answers do not say it, their words do.
fn is_of_schema(error: &Failure) -> bool {
    const WORDS: [&str; 7] = [
        " in body ",
        "must be of type",
        "should be",
        "should match",
        "must validate",
        "may not",
        "some validation rules were not checked",
    ];
    const REASONS: [&str; 4] =
        ["FieldValueTypeInvalid", "FieldValueNotSupported", "FieldValueTooLong", "FieldValueTooMany"];
    let may_be_bare = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"];
    WORDS.iter().any(|words| error.detail.contains(words))
        || REASONS.contains(&error.reason.as_str())
        || error.detail.starts_with("Unsupported")
        || error.field == "<nil>"
        || (error.detail.is_empty() && !may_be_bare.contains(&error.reason.as_str()))
}

fn failure(error: &Value) -> Failure {
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    Failure { field: text("field"), reason: text("type"), detail: text("detail"), value: String::new() }
}

fn shown(errors: &[Failure]) -> Value {
    let line = |it: &Failure| format!("{} {}: {}", it.field, it.reason, it.detail);
    errors.iter().map(line).collect()
}
