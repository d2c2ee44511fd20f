//! The comparison: a predicate, its schema, and the objects on which they differ.

use jsonschema::Validator;
use kvrules_emit::Fidelity;
use kvrules_emit::schema::{Dialect, QuantityMode, of_predicate};
use kvrules_ir::Predicate;
use serde_json::{Value, json};

use crate::domain::is_well_typed;

/// Results for the objects.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) agreed: usize,
    pub(crate) accepted: usize,
    /// Objects that the schema accepts, within what it declares.
    pub(crate) let_in: Vec<Value>,
    /// Objects that the schema leaves out, within what it declares.
    pub(crate) left_out: Vec<Value>,
    /// Number of objects that the API would reject anyway and that are evaluated differently.
    pub(crate) ill_typed: usize,
}

/// Evaluates a predicate on objects; departures that are not declared end the test.
pub(crate) fn judge(predicate: &Predicate, dialect: Dialect, objects: &[Value]) -> Agreement {
    let (schema, fidelity) = of_predicate(predicate, dialect, QuantityMode::Exact).unwrap();
    let validator = compile(&schema, dialect);
    let mut agreement = Agreement::default();
    for object in objects {
        let (intended, wording) =
            (kvrules_eval::predicate_holds(predicate, object), validator.is_valid(object));
        agreement.accepted += usize::from(intended && wording);
        match (intended, wording) {
            (true, true) | (false, false) => agreement.agreed += 1,
            _ if !is_well_typed(predicate, object) => agreement.ill_typed += 1,
            (true, false) if may_leave_out(&fidelity) => agreement.left_out.push(object.clone()),
            (false, true) if may_let_in(&fidelity) => agreement.let_in.push(object.clone()),
            _ => panic!("{object}\n{predicate:#?}\n{dialect:?} {schema:#}\n{fidelity:?}, meant: {intended}"),
        }
    }
    agreement
}

/// Well-typed objects on which a predicate and its schema agree, with the verdict.
pub(crate) fn agreed<'o>(
    predicate: &Predicate,
    validator: &Validator,
    objects: &'o [Value],
) -> Vec<(&'o Value, bool)> {
    let verdicts = objects.iter().map(|object| (object, kvrules_eval::predicate_holds(predicate, object)));
    let agreed = verdicts.filter(|(object, intended)| validator.is_valid(object) == *intended);
    agreed.filter(|(object, _)| is_well_typed(predicate, object)).collect()
}

fn may_let_in(fidelity: &Fidelity) -> bool {
    fidelity.exactness().may_widen()
}

fn may_leave_out(fidelity: &Fidelity) -> bool {
    fidelity.exactness().may_narrow()
}

/// A validator for a schema of a dialect. Those of OpenAPI 3.1 are schemas of JSON Schema 2020-12.
pub(crate) fn compile(schema: &Value, dialect: Dialect) -> Validator {
    let schema = if dialect == Dialect::OpenApi30 { translated(schema) } else { schema.clone() };
    assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema:#}");
    jsonschema::draft202012::new(&schema).unwrap()
}

/// A schema of OpenAPI 3.0 in JSON Schema 2020-12. `nullable` without `type` beside it would mean nothing.
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
