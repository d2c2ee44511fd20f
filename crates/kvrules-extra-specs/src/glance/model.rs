//! The typed model behind Glance's schema: which keys its classes have, and how it converts values.
//!
//! Each class first looks for keys that it has not, then reads its own in their order.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::{ApiAnswer, GlanceError};
use crate::python::PyValue;

/// Conversion of a value.
// wsme rest/json.py: text_fromjson, str_fromjson, numeric_fromjson, bool_fromjson, array_fromjson, dict_fromjson.
enum FieldModel {
    Text,
    /// Scalars become what Python's `str` gives; lists and objects are lost.
    Bytes,
    /// Numbers lose their fraction.
    Int,
    Bool,
    List(&'static FieldModel),
    Map(&'static FieldModel),
    Class(&'static [ModelField]),
}

struct ModelField {
    name: &'static str,
    model: FieldModel,
    mandatory: bool,
}

const fn optional_field(name: &'static str, model: FieldModel) -> ModelField {
    ModelField { name, model, mandatory: false }
}

const fn mandatory_field(name: &'static str, model: FieldModel) -> ModelField {
    ModelField { name, model, mandatory: true }
}

const TEXTS: FieldModel = FieldModel::List(&FieldModel::Text);

// glance api/v2/model/metadef_property_type.py, PropertyType.
const PROPERTY: FieldModel = FieldModel::Class(&[
    optional_field("name", FieldModel::Text),
    mandatory_field("type", FieldModel::Text),
    mandatory_field("title", FieldModel::Text),
    optional_field("description", FieldModel::Text),
    optional_field("operators", TEXTS),
    optional_field("default", FieldModel::Bytes),
    optional_field("readonly", FieldModel::Bool),
    optional_field("minimum", FieldModel::Int),
    optional_field("maximum", FieldModel::Int),
    optional_field("enum", TEXTS),
    optional_field("pattern", FieldModel::Text),
    optional_field("minLength", FieldModel::Int),
    optional_field("maxLength", FieldModel::Int),
    optional_field("confidential", FieldModel::Bool),
    optional_field(
        // glance api/v2/model/metadef_property_item_type.py, ItemType.
        "items",
        FieldModel::Class(&[mandatory_field("type", FieldModel::Text), optional_field("enum", TEXTS)]),
    ),
    optional_field("uniqueItems", FieldModel::Bool),
    optional_field("minItems", FieldModel::Int),
    optional_field("maxItems", FieldModel::Int),
    optional_field("additionalItems", FieldModel::Bool),
]);

const PROPERTIES: FieldModel = FieldModel::Map(&PROPERTY);

// glance api/v2/model/metadef_resource_type.py, ResourceTypeAssociation.
const ASSOCIATION: FieldModel = FieldModel::Class(&[
    mandatory_field("name", FieldModel::Text),
    optional_field("prefix", FieldModel::Text),
    optional_field("properties_target", FieldModel::Text),
    optional_field("created_at", FieldModel::Text),
    optional_field("updated_at", FieldModel::Text),
]);

// glance api/v2/model/metadef_object.py, MetadefObject.
const OBJECT: FieldModel = FieldModel::Class(&[
    mandatory_field("name", FieldModel::Text),
    optional_field("required", TEXTS),
    optional_field("description", FieldModel::Text),
    optional_field("properties", PROPERTIES),
    optional_field("created_at", FieldModel::Text),
    optional_field("updated_at", FieldModel::Text),
    optional_field("self", FieldModel::Text),
    optional_field("schema", FieldModel::Text),
]);

// glance api/v2/model/metadef_tag.py, MetadefTag.
const TAG: FieldModel = FieldModel::Class(&[
    mandatory_field("name", FieldModel::Text),
    optional_field("created_at", FieldModel::Text),
    optional_field("updated_at", FieldModel::Text),
]);

// glance api/v2/model/metadef_namespace.py, Namespace. What only Glance may set is refused before, and left out here.
const NAMESPACE: FieldModel = FieldModel::Class(&[
    mandatory_field("namespace", FieldModel::Text),
    optional_field("display_name", FieldModel::Text),
    optional_field("description", FieldModel::Text),
    optional_field("visibility", FieldModel::Text),
    optional_field("protected", FieldModel::Bool),
    optional_field("owner", FieldModel::Text),
    optional_field("resource_type_associations", FieldModel::List(&ASSOCIATION)),
    optional_field("properties", PROPERTIES),
    optional_field("objects", FieldModel::List(&OBJECT)),
    optional_field("tags", FieldModel::List(&TAG)),
]);

/// Returns the namespace document as the model converts it.
pub(super) fn convert_document(document: Node<'_>) -> Result<PyValue, ApiAnswer> {
    convert_value(document, "the document", &NAMESPACE)
}

// wsme rest/json.py, fromjson: `null` stays `None` for every type, also in a mandatory field.
fn convert_value(node: Node<'_>, what: &str, model: &FieldModel) -> Result<PyValue, ApiAnswer> {
    if node.kind() == SyntaxKind::Null {
        return Ok(PyValue::None);
    }
    let plain = PyValue::from_json(node).unwrap_or(PyValue::None);
    match (model, plain) {
        (FieldModel::Text, PyValue::Str(text)) => Ok(PyValue::Str(text)),
        // wsme rest/json.py, str_fromjson returns nothing for them, so a default that is a list is lost without an error.
        (FieldModel::Bytes, PyValue::List(_) | PyValue::Dict(_)) => Ok(PyValue::None),
        (FieldModel::Bytes, other) => Ok(PyValue::Str(other.to_str())),
        (FieldModel::Int, PyValue::Int(number)) => Ok(PyValue::Int(number)),
        // wsme rest/json.py, numeric_fromjson calls `int`, which cuts the fraction off.
        (FieldModel::Int, PyValue::Float(number)) => {
            to_integer(number).ok_or_else(|| invalid_input(node, what, "an integer"))
        }
        (FieldModel::Bool, PyValue::Bool(value)) => Ok(PyValue::Bool(value)),
        (FieldModel::List(each), PyValue::List(_)) => node
            .items()
            .map(|item| convert_value(item, &format!("an item of {what}"), each))
            .collect::<Result<_, _>>()
            .map(PyValue::List),
        (FieldModel::Map(each), PyValue::Dict(_)) => {
            let read = |entry: kvrules_syntax::Entry<'_>| {
                let key = entry.key.text();
                Ok((key.to_owned(), convert_value(entry.value, &format!("`{key}`"), each)?))
            };
            node.entries().map(read).collect::<Result<_, _>>().map(PyValue::Dict)
        }
        (FieldModel::Class(fields), PyValue::Dict(_)) => convert_class(node, what, fields),
        _ => Err(invalid_input(node, what, wanted_type(model))),
    }
}

// wsme rest/json.py, fromjson: UnknownAttribute comes before any attribute is read, then they come in their own order.
fn convert_class(node: Node<'_>, what: &str, fields: &[ModelField]) -> Result<PyValue, ApiAnswer> {
    for entry in node.entries() {
        let key = entry.key.text();
        if !fields.iter().any(|field| field.name == key) {
            let message = format!("unknown key `{key}` in {what}");
            return Err(ApiAnswer::UnknownAttribute(GlanceError { span: entry.key.span(), message }));
        }
    }
    let mut read = Vec::new();
    for field in fields {
        match node.get(field.name) {
            Some(found) => {
                read.push((
                    field.name.to_owned(),
                    convert_value(found, &format!("`{}`", field.name), &field.model)?,
                ));
            }
            None if field.mandatory => {
                let message = format!("{what} has no `{}`", field.name);
                return Err(ApiAnswer::InvalidInput(GlanceError { span: node.span(), message }));
            }
            None => {}
        }
    }
    Ok(PyValue::Dict(read))
}

fn to_integer(number: f64) -> Option<PyValue> {
    // A float of any size is an integer to Python; only infinity, as of `1e999`, is none.
    format!("{:.0}", number.trunc()).parse::<BigInt>().ok().map(PyValue::Int)
}

fn invalid_input(node: Node<'_>, what: &str, wanted: &str) -> ApiAnswer {
    ApiAnswer::InvalidInput(GlanceError { span: node.span(), message: format!("{what} must be {wanted}") })
}

fn wanted_type(model: &FieldModel) -> &'static str {
    match model {
        FieldModel::Text | FieldModel::Bytes => "a string",
        FieldModel::Int => "an integer",
        FieldModel::Bool => "`true` or `false`",
        FieldModel::List(_) => "a list",
        FieldModel::Map(_) | FieldModel::Class(_) => "an object",
    }
}
