//! The judge: a predicate, its schema, and the objects on which they differ.

use jsonschema::Validator;
use kvrules_emit::Fidelity;
use kvrules_emit::schema::{Dialect, of_predicate};
use kvrules_ir::Predicate;
use serde_json::{Value, json};

/// What became of the objects.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) agreed: usize,
    pub(crate) accepted: usize,
    /// Objects that the schema lets in, within what it declares.
    pub(crate) let_in: Vec<Value>,
    /// Objects that the schema leaves out, within what it declares.
    pub(crate) left_out: Vec<Value>,
}

/// The schema of a predicate.
pub(crate) fn schema(predicate: &Predicate) -> Result<(Value, Fidelity), String> {
    of_predicate(predicate, Dialect::OpenApi30)
}

/// Judges a predicate on objects; departures that are not declared end the test.
pub(crate) fn judge(predicate: &Predicate, objects: &[Value]) -> Agreement {
    let (schema, fidelity) = schema(predicate).unwrap();
    let validator = compile(&schema);
    let mut agreement = Agreement::default();
    for object in objects {
        let (meant, said) = (kvrules_eval::holds(predicate, object), validator.is_valid(object));
        agreement.accepted += usize::from(meant && said);
        match (meant, said) {
            (true, false) if may_leave_out(&fidelity) => agreement.left_out.push(object.clone()),
            (false, true) if may_let_in(&fidelity) => agreement.let_in.push(object.clone()),
            _ => {
                assert_eq!(meant, said, "{object}\n{predicate:#?}\n{schema:#}\n{fidelity:?}");
                agreement.agreed += 1;
            }
        }
    }
    agreement
}

fn may_let_in(fidelity: &Fidelity) -> bool {
    matches!(fidelity, Fidelity::Wider(_) | Fidelity::Incomparable(_))
}

fn may_leave_out(fidelity: &Fidelity) -> bool {
    matches!(fidelity, Fidelity::Narrower(_) | Fidelity::Incomparable(_))
}

/// A validator for a schema of OpenAPI 3.0.
pub(crate) fn compile(schema: &Value) -> Validator {
    jsonschema::draft202012::new(&translated(schema)).unwrap()
}

/// The same schema in JSON Schema 2020-12. `nullable` without `type` beside it would mean nothing.
fn translated(schema: &Value) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(translated).collect(),
        Value::Object(keywords) => {
            let mut translated: serde_json::Map<_, _> =
                keywords.iter().map(|(keyword, value)| (keyword.clone(), translated(value))).collect();
            if translated.remove("nullable").is_some() {
                let kind = translated["type"].clone();
                translated.insert("type".to_owned(), json!([kind, "null"]));
            }
            translated.into()
        }
        other => other.clone(),
    }
}
