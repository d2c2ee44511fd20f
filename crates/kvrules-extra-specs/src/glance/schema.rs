//! Glance's JSON Schema of a namespace (`glance-metadef-schemas.json`), as a table.

use kvrules_syntax::{Node, SyntaxKind};
use num_bigint::BigInt;

use super::GlanceMistake;
use crate::python::PyValue;

/// Constraint on a value.
enum Shape {
    Text,
    /// A text of at most this many characters.
    TextUpTo(usize),
    Word(&'static [&'static str]),
    Bool,
    Number,
    /// A whole number from 0 on.
    Count,
    AnyList,
    List(&'static Shape),
    /// Texts, none of them twice.
    TextSet,
    Map(&'static Shape),
    Object {
        fields: &'static [(&'static str, Shape)],
        required: &'static [&'static str],
        closed: bool,
    },
}

const TYPES: Shape = Shape::Word(&["array", "boolean", "integer", "number", "object", "string"]);

const PROPERTY: Shape = Shape::Object {
    fields: &[
        ("additionalItems", Shape::Bool),
        ("description", Shape::Text),
        ("enum", Shape::AnyList),
        (
            "items",
            Shape::Object {
                fields: &[("enum", Shape::AnyList), ("type", TYPES)],
                required: &[],
                closed: false,
            },
        ),
        ("maxItems", Shape::Count),
        ("maxLength", Shape::Count),
        ("maximum", Shape::Number),
        ("minItems", Shape::Count),
        ("minLength", Shape::Count),
        ("minimum", Shape::Number),
        ("name", Shape::TextUpTo(80)),
        ("operators", Shape::List(&Shape::Text)),
        ("pattern", Shape::Text),
        ("readonly", Shape::Bool),
        ("required", Shape::TextSet),
        ("title", Shape::Text),
        ("type", TYPES),
        ("uniqueItems", Shape::Bool),
    ],
    required: &["title", "type"],
    closed: false,
};

const PROPERTIES: Shape = Shape::Map(&PROPERTY);

const ASSOCIATION: Shape = Shape::Object {
    fields: &[("name", Shape::Text), ("prefix", Shape::Text), ("properties_target", Shape::Text)],
    required: &[],
    closed: false,
};

const OBJECT: Shape = Shape::Object {
    fields: &[
        ("description", Shape::Text),
        ("name", Shape::Text),
        ("properties", PROPERTIES),
        ("required", Shape::TextSet),
    ],
    required: &[],
    closed: false,
};

const TAG: Shape = Shape::Object { fields: &[("name", Shape::Text)], required: &[], closed: false };

const NAMESPACE: Shape = Shape::Object {
    fields: &[
        ("created_at", Shape::Text),
        ("description", Shape::TextUpTo(500)),
        ("display_name", Shape::TextUpTo(80)),
        ("namespace", Shape::TextUpTo(80)),
        ("objects", Shape::List(&OBJECT)),
        ("owner", Shape::TextUpTo(255)),
        ("properties", PROPERTIES),
        ("protected", Shape::Bool),
        ("resource_type_associations", Shape::List(&ASSOCIATION)),
        ("schema", Shape::Text),
        ("self", Shape::Text),
        ("tags", Shape::List(&TAG)),
        ("updated_at", Shape::Text),
        ("visibility", Shape::Word(&["public", "private"])),
    ],
    required: &["namespace"],
    closed: true,
};

/// Returns the errors of the schema in a namespace document.
pub(super) fn check(document: Node<'_>) -> Vec<GlanceMistake> {
    let mut mistakes = Vec::new();
    visit(document, "the document", &NAMESPACE, &mut mistakes);
    mistakes
}

fn visit(node: Node<'_>, what: &str, shape: &Shape, mistakes: &mut Vec<GlanceMistake>) {
    match shape {
        Shape::Map(each) if node.is_map() => {
            for entry in node.entries() {
                visit(entry.value, &format!("`{}`", entry.key.text()), each, mistakes);
            }
        }
        Shape::List(each) if node.is_list() => {
            node.items().for_each(|item| visit(item, &format!("an item of {what}"), each, mistakes));
        }
        Shape::Object { fields, required, closed } if node.is_map() => {
            object(node, what, fields, required, *closed, mistakes);
        }
        _ if is(node, shape) => {}
        _ => {
            mistakes.push(GlanceMistake {
                span: node.span(),
                message: format!("{what} must be {}", wanted(shape)),
            });
        }
    }
}

fn object(
    node: Node<'_>,
    what: &str,
    fields: &[(&str, Shape)],
    required: &[&str],
    closed: bool,
    mistakes: &mut Vec<GlanceMistake>,
) {
    for key in required.iter().filter(|key| node.get(key).is_none()) {
        mistakes.push(GlanceMistake { span: node.span(), message: format!("{what} has no `{key}`") });
    }
    for entry in node.entries() {
        let key = entry.key.text();
        match fields.iter().find(|(name, _)| *name == key) {
            Some((_, shape)) => visit(entry.value, &format!("`{key}`"), shape, mistakes),
            None if closed => {
                let message = format!("unknown key `{key}` in {what}");
                mistakes.push(GlanceMistake { span: entry.key.span(), message });
            }
            None => {}
        }
    }
}

/// True if a value without parts is as it must be.
fn is(node: Node<'_>, shape: &Shape) -> bool {
    let length = || node.as_str().map(|text| text.chars().count());
    match shape {
        Shape::Text => node.as_str().is_some(),
        Shape::TextUpTo(most) => length().is_some_and(|length| length <= *most),
        Shape::Word(words) => node.as_str().is_some_and(|text| words.contains(&text)),
        Shape::Bool => matches!(node.kind(), SyntaxKind::True | SyntaxKind::False),
        Shape::Number => node.kind() == SyntaxKind::Number,
        Shape::Count => match PyValue::from_json(node) {
            Some(PyValue::Int(number)) => number >= BigInt::ZERO,
            // A float without a fraction is a whole number to JSON Schema.
            Some(PyValue::Float(number)) => number >= 0.0 && number.fract() == 0.0,
            _ => false,
        },
        Shape::AnyList => node.is_list(),
        Shape::TextSet => {
            let texts: Vec<_> = node.items().map(Node::as_str).collect();
            let unique =
                texts.iter().enumerate().all(|(at, text)| !texts.iter().take(at).any(|other| other == text));
            node.is_list() && texts.iter().all(Option::is_some) && unique
        }
        Shape::List(_) | Shape::Map(_) | Shape::Object { .. } => false,
    }
}

fn wanted(shape: &Shape) -> String {
    match shape {
        Shape::Text => "a string".to_owned(),
        Shape::TextUpTo(most) => format!("a string of at most {most} characters"),
        Shape::Word(words) => format!("one of `{}`", words.join("`, `")),
        Shape::Bool => "`true` or `false`".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Count => "an integer of at least 0".to_owned(),
        Shape::AnyList | Shape::List(_) => "a list".to_owned(),
        Shape::TextSet => "a list of different strings".to_owned(),
        Shape::Map(_) | Shape::Object { .. } => "an object".to_owned(),
    }
}
