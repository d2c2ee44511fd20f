//! The typed model behind Glance's schema: which keys its classes have, and what it makes of values.
//!
//! Each class first looks for keys that it has not, then reads its own in their order.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::{ApiAnswer, GlanceMistake};
use crate::python::PyValue;

/// Conversion of a value.
enum Model {
    Text,
    /// Scalars become what Python's `str` gives; lists and objects are lost.
    Bytes,
    /// Numbers lose their fraction.
    Int,
    Bool,
    List(&'static Model),
    Map(&'static Model),
    Class(&'static [Field]),
}

struct Field {
    name: &'static str,
    model: Model,
    mandatory: bool,
}

const fn field(name: &'static str, model: Model) -> Field {
    Field { name, model, mandatory: false }
}

const fn mandatory(name: &'static str, model: Model) -> Field {
    Field { name, model, mandatory: true }
}

const TEXTS: Model = Model::List(&Model::Text);

const PROPERTY: Model = Model::Class(&[
    field("name", Model::Text),
    mandatory("type", Model::Text),
    mandatory("title", Model::Text),
    field("description", Model::Text),
    field("operators", TEXTS),
    field("default", Model::Bytes),
    field("readonly", Model::Bool),
    field("minimum", Model::Int),
    field("maximum", Model::Int),
    field("enum", TEXTS),
    field("pattern", Model::Text),
    field("minLength", Model::Int),
    field("maxLength", Model::Int),
    field("confidential", Model::Bool),
    field("items", Model::Class(&[mandatory("type", Model::Text), field("enum", TEXTS)])),
    field("uniqueItems", Model::Bool),
    field("minItems", Model::Int),
    field("maxItems", Model::Int),
    field("additionalItems", Model::Bool),
]);

const PROPERTIES: Model = Model::Map(&PROPERTY);

const ASSOCIATION: Model = Model::Class(&[
    mandatory("name", Model::Text),
    field("prefix", Model::Text),
    field("properties_target", Model::Text),
    field("created_at", Model::Text),
    field("updated_at", Model::Text),
]);

const OBJECT: Model = Model::Class(&[
    mandatory("name", Model::Text),
    field("required", TEXTS),
    field("description", Model::Text),
    field("properties", PROPERTIES),
    field("created_at", Model::Text),
    field("updated_at", Model::Text),
    field("self", Model::Text),
    field("schema", Model::Text),
]);

const TAG: Model = Model::Class(&[
    mandatory("name", Model::Text),
    field("created_at", Model::Text),
    field("updated_at", Model::Text),
]);

const NAMESPACE: Model = Model::Class(&[
    mandatory("namespace", Model::Text),
    field("display_name", Model::Text),
    field("description", Model::Text),
    field("visibility", Model::Text),
    field("protected", Model::Bool),
    field("owner", Model::Text),
    field("resource_type_associations", Model::List(&ASSOCIATION)),
    field("properties", PROPERTIES),
    field("objects", Model::List(&OBJECT)),
    field("tags", Model::List(&TAG)),
]);

/// Returns the namespace document as the model converts it.
pub(super) fn convert(document: Node<'_>) -> Result<PyValue, ApiAnswer> {
    value(document, "the document", &NAMESPACE)
}

fn value(node: Node<'_>, what: &str, model: &Model) -> Result<PyValue, ApiAnswer> {
    if node.kind() == SyntaxKind::Null {
        return Ok(PyValue::None);
    }
    let plain = PyValue::from_json(node).unwrap_or(PyValue::None);
    match (model, plain) {
        (Model::Text, PyValue::Str(text)) => Ok(PyValue::Str(text)),
        (Model::Bytes, PyValue::List(_) | PyValue::Dict(_)) => Ok(PyValue::None),
        (Model::Bytes, other) => Ok(PyValue::Str(other.to_str())),
        (Model::Int, PyValue::Int(number)) => Ok(PyValue::Int(number)),
        (Model::Int, PyValue::Float(number)) => {
            to_integer(number).ok_or_else(|| invalid(node, what, "an integer"))
        }
        (Model::Bool, PyValue::Bool(value)) => Ok(PyValue::Bool(value)),
        (Model::List(each), PyValue::List(_)) => node
            .items()
            .map(|item| value(item, &format!("an item of {what}"), each))
            .collect::<Result<_, _>>()
            .map(PyValue::List),
        (Model::Map(each), PyValue::Dict(_)) => {
            let read = |entry: kvrules_syntax::Entry<'_>| {
                let key = entry.key.text();
                Ok((key.to_owned(), value(entry.value, &format!("`{key}`"), each)?))
            };
            node.entries().map(read).collect::<Result<_, _>>().map(PyValue::Dict)
        }
        (Model::Class(fields), PyValue::Dict(_)) => class(node, what, fields),
        _ => Err(invalid(node, what, wanted(model))),
    }
}

fn class(node: Node<'_>, what: &str, fields: &[Field]) -> Result<PyValue, ApiAnswer> {
    for entry in node.entries() {
        let key = entry.key.text();
        if !fields.iter().any(|field| field.name == key) {
            let message = format!("unknown key `{key}` in {what}");
            return Err(ApiAnswer::UnknownAttribute(GlanceMistake { span: entry.key.span(), message }));
        }
    }
    let mut read = Vec::new();
    for field in fields {
        match node.get(field.name) {
            Some(found) => {
                read.push((field.name.to_owned(), value(found, &format!("`{}`", field.name), &field.model)?));
            }
            None if field.mandatory => {
                let message = format!("{what} has no `{}`", field.name);
                return Err(ApiAnswer::InvalidInput(GlanceMistake { span: node.span(), message }));
            }
            None => {}
        }
    }
    Ok(PyValue::Dict(read))
}

fn to_integer(number: f64) -> Option<PyValue> {
    format!("{:.0}", number.trunc()).parse::<BigInt>().ok().map(PyValue::Int)
}

fn invalid(node: Node<'_>, what: &str, wanted: &str) -> ApiAnswer {
    ApiAnswer::InvalidInput(GlanceMistake { span: node.span(), message: format!("{what} must be {wanted}") })
}

fn wanted(model: &Model) -> &'static str {
    match model {
        Model::Text | Model::Bytes => "a string",
        Model::Int => "an integer",
        Model::Bool => "`true` or `false`",
        Model::List(_) => "a list",
        Model::Map(_) | Model::Class(_) => "an object",
    }
}
