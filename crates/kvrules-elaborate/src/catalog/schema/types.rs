//! Determines the type of a value from its schema.

use kvrules_ir::ValueType;
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use kvrules_syntax::{Node, SyntaxKind};

use super::view::SchemaView;

/// Start of the patterns that controller-gen writes for a Kubernetes quantity.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|";
/// Keywords by which a schema may give an object further properties.
const ALTERNATIVES: [&str; 6] = ["anyOf", "oneOf", "then", "else", "patternProperties", "dependentSchemas"];

/// The type of a value, and whether an object may have more fields than it names.
///
/// A `structural` schema names every field that there is. Of other schemas that is only assumed where they name any.
pub(super) fn value_type(view: &SchemaView<'_>, structural: bool) -> (ValueType, bool) {
    if view.cyclic {
        return (ValueType::Any, false);
    }
    if let Some(known) = view.known {
        return (known, false);
    }
    match type_names(view).as_slice() {
        [] => infer_type(view, structural),
        ["object"] => object_type(view, structural),
        ["array"] => (ValueType::List, false),
        ["string"] => (string_type(view), false),
        ["boolean"] => (ValueType::Boolean, false),
        ["integer"] => (ValueType::Integer, false),
        ["number"] | ["integer", "number"] | ["number", "integer"] => (ValueType::Number, false),
        ["integer", "string"] | ["string", "integer"] => (int_or_string(view), false),
        _ => (ValueType::Any, false),
    }
}

/// True if `null` is allowed.
pub(super) fn is_nullable(view: &SchemaView<'_>) -> bool {
    view.is_true("nullable") || all_words(view).any(|word| word == "null")
}

/// The words under `type` without `null`, of the first part that has any.
fn type_names<'d>(view: &SchemaView<'d>) -> Vec<&'d str> {
    let typed = view.all("type").map(listed_types).find(|words| !words.is_empty());
    typed.unwrap_or_default().into_iter().filter(|word| *word != "null").collect()
}

fn all_words<'d>(view: &SchemaView<'d>) -> impl Iterator<Item = &'d str> {
    view.all("type").flat_map(listed_types)
}

fn listed_types(value: Node<'_>) -> Vec<&str> {
    if value.is_list() { value.items().map(Node::text).collect() } else { vec![value.text()] }
}

fn infer_type(view: &SchemaView<'_>, structural: bool) -> (ValueType, bool) {
    if view.is_true(INT_OR_STRING) || is_format(view, "int-or-string") || is_choice(view) {
        return (int_or_string(view), false);
    }
    if view.get("properties").is_some() || view.get("additionalProperties").is_some_and(Node::is_map) {
        return object_type(view, structural);
    }
    (if view.get("items").is_some() { ValueType::List } else { ValueType::Any }, false)
}

/// A choice of exactly integer and string.
fn is_choice(view: &SchemaView<'_>) -> bool {
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| view.get(keyword));
    choices.into_iter().any(|choice| {
        let mut words: Vec<_> = choice.items().filter_map(|one| one.get("type")).map(Node::text).collect();
        words.sort_unstable();
        choice.items().count() == 2 && words == ["integer", "string"]
    })
}

fn int_or_string(view: &SchemaView<'_>) -> ValueType {
    if is_quantity(view) { ValueType::Quantity } else { ValueType::IntOrString }
}

fn string_type(view: &SchemaView<'_>) -> ValueType {
    if is_format(view, "date-time") {
        ValueType::Time
    } else if is_format(view, "quantity") || is_quantity(view) {
        ValueType::Quantity
    } else if is_format(view, "int-or-string") {
        ValueType::IntOrString
    } else {
        ValueType::String
    }
}

fn is_quantity(view: &SchemaView<'_>) -> bool {
    view.all("pattern").any(|pattern| pattern.text().starts_with(QUANTITY))
}

fn is_format(view: &SchemaView<'_>, format: &str) -> bool {
    view.all("format").any(|found| found.text() == format)
}

/// An object with fields, a map, or anything: what the names in it may be.
fn object_type(view: &SchemaView<'_>, structural: bool) -> (ValueType, bool) {
    let more = view.get("additionalProperties").filter(|more| more.kind() != SyntaxKind::False);
    let preserves = view.is_true(PRESERVE_UNKNOWN_FIELDS);
    let has_fields = view.all("properties").any(|properties| properties.entries().next().is_some());
    let alternatives = !structural && ALTERNATIVES.iter().any(|keyword| view.get(keyword).is_some());
    let closed = structural || view.get("additionalProperties").is_some();
    match more {
        _ if has_fields => (ValueType::Object, preserves || more.is_some() || alternatives),
        _ if preserves => (ValueType::Any, false),
        Some(_) => (ValueType::Map, false),
        None if closed => (ValueType::Object, false),
        None => (ValueType::Any, false),
    }
}
