//! The keywords of a schema: what may stand under them, and the names that stand for types.

use kvrules_ir::ValueType;
use kvrules_kubernetes::keywords::TYPE_NAMES;
use kvrules_syntax::{Node, SyntaxKind};

use super::problem::SchemaProblem;

/// The type that the name of a Kubernetes definition stands for.
pub(super) fn known_reference_type(reference: &str) -> Option<ValueType> {
    match reference.rsplit('/').next() {
        Some("io.k8s.apimachinery.pkg.api.resource.Quantity") => Some(ValueType::Quantity),
        Some("io.k8s.apimachinery.pkg.util.intstr.IntOrString") => Some(ValueType::IntOrString),
        _ => None,
    }
}

/// Keywords of a schema whose values are of a wrong type.
pub(super) fn find_mistyped_keywords(schema: Node<'_>) -> Vec<SchemaProblem> {
    let mut problems = Vec::new();
    for entry in schema.entries() {
        let (keyword, value) = (entry.key.text(), entry.value);
        let expected = match keyword {
            "properties" if !value.is_map() => "a map",
            "required" | "allOf" if !value.is_list() => "a list",
            "items" | "additionalProperties" if !is_schema(value) && !value.is_list() => "a schema",
            "$ref" if value.as_str().is_none() => "a string",
            "type" => {
                problems.extend(wrong_words(value));
                continue;
            }
            _ => continue,
        };
        let message = format!("`{keyword}` must be {expected}, not {}", describe_value(value));
        problems.push(SchemaProblem::new(value.span(), message));
    }
    problems
}

/// Describes a value.
pub(super) fn describe_value(node: Node<'_>) -> &'static str {
    match node.kind() {
        SyntaxKind::Null => "nothing",
        SyntaxKind::True | SyntaxKind::False => "a boolean",
        SyntaxKind::Number => "a number",
        SyntaxKind::List => "a list",
        SyntaxKind::Map => "a map",
        SyntaxKind::String | SyntaxKind::Parameter | SyntaxKind::Hole | SyntaxKind::Alias => "a string",
    }
}

fn is_schema(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::Map | SyntaxKind::True | SyntaxKind::False)
}

fn wrong_words(value: Node<'_>) -> Option<SchemaProblem> {
    let words: Vec<_> = if value.is_list() { value.items().collect() } else { vec![value] };
    let wrong = words
        .into_iter()
        .find(|word| word.kind() != SyntaxKind::Null && !TYPE_NAMES.contains(&word.text()))?;
    let message = match wrong.as_str() {
        Some(word) => format!("unknown type `{word}`"),
        None => format!("`type` must be a string, not {}", describe_value(wrong)),
    };
    Some(
        SchemaProblem::new(wrong.span(), message)
            .help("types are `array`, `boolean`, `integer`, `number`, `object` and `string`"),
    )
}
