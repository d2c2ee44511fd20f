//! Glance's JSON Schema of a namespace (`glance-metadef-schemas.json`), as a table.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::GlanceError;
use crate::python::PyValue;

/// Constraint on a value.
enum SchemaShape {
    Text,
    /// A text of at most this many characters.
    TextUpTo(usize),
    Word(&'static [&'static str]),
    Bool,
    Number,
    /// An integer from 0 on.
    Count,
    AnyList,
    List(&'static SchemaShape),
    /// Texts, none of them twice.
    TextSet,
    Map(&'static SchemaShape),
    Object {
        fields: &'static [(&'static str, SchemaShape)],
        required: &'static [&'static str],
        closed: bool,
    },
}

// glance api/v2/metadef_namespaces.py, get_schema_definitions lists `None` as well, but the value must be a string, too.
const TYPES: SchemaShape = SchemaShape::Word(&["array", "boolean", "integer", "number", "object", "string"]);

// glance api/v2/metadef_namespaces.py, get_schema_definitions: `property`. Other keys pass here, and fail in the model.
const PROPERTY: SchemaShape = SchemaShape::Object {
    fields: &[
        ("additionalItems", SchemaShape::Bool),
        ("description", SchemaShape::Text),
        ("enum", SchemaShape::AnyList),
        (
            "items",
            SchemaShape::Object {
                fields: &[("enum", SchemaShape::AnyList), ("type", TYPES)],
                required: &[],
                closed: false,
            },
        ),
        ("maxItems", SchemaShape::Count),
        ("maxLength", SchemaShape::Count),
        ("maximum", SchemaShape::Number),
        ("minItems", SchemaShape::Count),
        ("minLength", SchemaShape::Count),
        ("minimum", SchemaShape::Number),
        ("name", SchemaShape::TextUpTo(80)),
        ("operators", SchemaShape::List(&SchemaShape::Text)),
        ("pattern", SchemaShape::Text),
        ("readonly", SchemaShape::Bool),
        ("required", SchemaShape::TextSet),
        ("title", SchemaShape::Text),
        ("type", TYPES),
        ("uniqueItems", SchemaShape::Bool),
    ],
    required: &["title", "type"],
    closed: false,
};

const PROPERTIES: SchemaShape = SchemaShape::Map(&PROPERTY);

const ASSOCIATION: SchemaShape = SchemaShape::Object {
    fields: &[
        ("name", SchemaShape::Text),
        ("prefix", SchemaShape::Text),
        ("properties_target", SchemaShape::Text),
    ],
    required: &[],
    closed: false,
};

// glance api/v2/metadef_namespaces.py, _get_base_properties: `objects`. Its items are open, as those of the lists next to it.
const OBJECT: SchemaShape = SchemaShape::Object {
    fields: &[
        ("description", SchemaShape::Text),
        ("name", SchemaShape::Text),
        ("properties", PROPERTIES),
        ("required", SchemaShape::TextSet),
    ],
    required: &[],
    closed: false,
};

const TAG: SchemaShape =
    SchemaShape::Object { fields: &[("name", SchemaShape::Text)], required: &[], closed: false };

// glance api/v2/metadef_namespaces.py, _get_base_properties and get_schema; schema.py, Schema.raw closes the top level.
const NAMESPACE: SchemaShape = SchemaShape::Object {
    fields: &[
        ("created_at", SchemaShape::Text),
        ("description", SchemaShape::TextUpTo(500)),
        ("display_name", SchemaShape::TextUpTo(80)),
        ("namespace", SchemaShape::TextUpTo(80)),
        ("objects", SchemaShape::List(&OBJECT)),
        ("owner", SchemaShape::TextUpTo(255)),
        ("properties", PROPERTIES),
        ("protected", SchemaShape::Bool),
        ("resource_type_associations", SchemaShape::List(&ASSOCIATION)),
        ("schema", SchemaShape::Text),
        ("self", SchemaShape::Text),
        ("tags", SchemaShape::List(&TAG)),
        ("updated_at", SchemaShape::Text),
        ("visibility", SchemaShape::Word(&["public", "private"])),
    ],
    required: &["namespace"],
    closed: true,
};

/// Returns the errors of the schema in a namespace document.
pub(super) fn check_document(document: Node<'_>) -> Vec<GlanceError> {
    let mut errors = Vec::new();
    check_node(document, "the document", &NAMESPACE, &mut errors);
    errors
}

fn check_node(node: Node<'_>, what: &str, shape: &SchemaShape, errors: &mut Vec<GlanceError>) {
    match shape {
        SchemaShape::Map(each) if node.is_map() => {
            for entry in node.entries() {
                check_node(entry.value, &format!("`{}`", entry.key.text()), each, errors);
            }
        }
        SchemaShape::List(each) if node.is_list() => {
            node.items().for_each(|item| check_node(item, &format!("an item of {what}"), each, errors));
        }
        SchemaShape::Object { fields, required, closed } if node.is_map() => {
            check_object(node, what, fields, required, *closed, errors);
        }
        _ if has_shape(node, shape) => {}
        _ => {
            errors.push(GlanceError {
                span: node.span(),
                message: format!("{what} must be {}", describe_shape(shape)),
            });
        }
    }
}

fn check_object(
    node: Node<'_>,
    what: &str,
    fields: &[(&str, SchemaShape)],
    required: &[&str],
    closed: bool,
    errors: &mut Vec<GlanceError>,
) {
    for key in required.iter().filter(|key| node.get(key).is_none()) {
        errors.push(GlanceError { span: node.span(), message: format!("{what} has no `{key}`") });
    }
    for entry in node.entries() {
        let key = entry.key.text();
        match fields.iter().find(|(name, _)| *name == key) {
            Some((_, shape)) => check_node(entry.value, &format!("`{key}`"), shape, errors),
            None if closed => {
                let message = format!("unknown key `{key}` in {what}");
                errors.push(GlanceError { span: entry.key.span(), message });
            }
            None => {}
        }
    }
}

/// True if a value without parts is as it must be.
fn has_shape(node: Node<'_>, shape: &SchemaShape) -> bool {
    let length = || node.as_str().map(|text| text.chars().count());
    match shape {
        SchemaShape::Text => node.as_str().is_some(),
        // jsonschema _keywords.py, maxLength: Python's `len`, which counts code points.
        SchemaShape::TextUpTo(most) => length().is_some_and(|length| length <= *most),
        SchemaShape::Word(words) => node.as_str().is_some_and(|text| words.contains(&text)),
        SchemaShape::Bool => matches!(node.kind(), SyntaxKind::True | SyntaxKind::False),
        SchemaShape::Number => node.kind() == SyntaxKind::Number,
        SchemaShape::Count => match PyValue::from_json(node) {
            Some(PyValue::Int(number)) => number >= BigInt::ZERO,
            // jsonschema _types.py, draft6_type_checker.
            // A float without a fraction is a whole number to JSON Schema.
            Some(PyValue::Float(number)) => number >= 0.0 && number.fract() == 0.0,
            _ => false,
        },
        SchemaShape::AnyList => node.is_list(),
        // jsonschema _keywords.py, uniqueItems.
        SchemaShape::TextSet => {
            let texts: Vec<_> = node.items().map(Node::as_str).collect();
            let unique =
                texts.iter().enumerate().all(|(at, text)| !texts.iter().take(at).any(|other| other == text));
            node.is_list() && texts.iter().all(Option::is_some) && unique
        }
        SchemaShape::List(_) | SchemaShape::Map(_) | SchemaShape::Object { .. } => false,
    }
}

fn describe_shape(shape: &SchemaShape) -> String {
    match shape {
        SchemaShape::Text => "a string".to_owned(),
        SchemaShape::TextUpTo(most) => format!("a string of at most {most} characters"),
        SchemaShape::Word(words) => format!("one of `{}`", words.join("`, `")),
        SchemaShape::Bool => "`true` or `false`".to_owned(),
        SchemaShape::Number => "a number".to_owned(),
        SchemaShape::Count => "an integer of at least 0".to_owned(),
        SchemaShape::AnyList | SchemaShape::List(_) => "a list".to_owned(),
        SchemaShape::TextSet => "a list of different strings".to_owned(),
        SchemaShape::Map(_) | SchemaShape::Object { .. } => "an object".to_owned(),
    }
}
