//! Recorded answers of Glance about namespaces of metadata definitions: `document` is one, `schema` is whether
//! Glance's JSON Schema accepts it, `api` is the answer to its creation, and `round_trip` has the properties that come
//! back. Our own check must predict all three.

use kvrules::FileId;
use kvrules_extra_specs::glance::predict_answers;
use kvrules_extra_specs::python::PyValue;
use kvrules_syntax::parse_json;

use super::{CaseFormat, Outcome, row::CaseRow};

pub(super) const FORMAT: CaseFormat =
    CaseFormat { name: "glance-metadef", recognises: is_case, judge: run_case };

fn is_case(row: &CaseRow) -> bool {
    row.raw_member("document").is_some()
        && row.string_member("schema").is_some()
        && row.string_member("api").is_some()
}

fn run_case(row: &CaseRow) -> Outcome {
    let document = parse_json(FileId(0), row.raw_member("document").unwrap_or_default());
    let Some(root) = document.root() else {
        return Outcome::Differs { expected: "a document".to_owned(), actual: "no JSON".to_owned() };
    };
    let prediction = predict_answers(root);
    let schema = if prediction.schema.is_empty() { "ok" } else { "rejected" };
    let back = prediction.properties.as_ref().map_or(PyValue::None, sort_keys);
    let recorded = parse_json(FileId(0), row.raw_member("round_trip").unwrap_or("null"));
    let recorded =
        recorded.root().and_then(PyValue::from_json).map_or(PyValue::None, |value| sort_keys(&value));
    let expected = (
        row.string_member("schema").unwrap_or_default(),
        row.string_member("api").unwrap_or_default(),
        recorded,
    );
    let actual = (schema.to_owned(), prediction.api.as_str().to_owned(), back);
    if expected == actual {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: format!("{expected:?}"), actual: format!("{actual:?}") }
}

/// A value with the keys of objects in order: Glance keeps none.
fn sort_keys(value: &PyValue) -> PyValue {
    match value {
        PyValue::Dict(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            PyValue::Dict(entries)
        }
        PyValue::List(items) => PyValue::List(items.iter().map(sort_keys).collect()),
        other => other.clone(),
    }
}
