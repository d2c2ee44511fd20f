//! Suggests what to write instead.

use kvrules_syntax::{Node, SyntaxKind};

use super::ExpectedShape;
use crate::plain;

/// Instead of a keyword that the server drops.
pub(super) fn of_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "const" => "write `enum` with this one value",
        "if" | "then" | "else" => "write a rule under `x-kubernetes-validations`: `!(condition) || then`",
        "examples" => "remove it; `example`, which takes one value, has no effect either",
        "$id" | "$comment" | "readOnly" | "writeOnly" | "xml" | "discriminator" => "remove it",
        "$defs" => "write the schemas where they are used: structural schemas have no references",
        "deprecated" => {
            "mention it in `description`; to deprecate a whole version, write `deprecated` next to its name"
        }
        "propertyNames" => "write a rule: `self.all(key, key.matches('…'))`",
        "contains" => "write a rule: `self.exists(item, …)`",
        "minContains" | "maxContains" => "write a rule: `self.filter(item, …).size() >= …`",
        "dependentRequired" | "dependentSchemas" => "write a rule: `!has(self.a) || has(self.b)`",
        "unevaluatedProperties" | "unevaluatedItems" => "remove it: undeclared fields are pruned anyway",
        "prefixItems" => "write one schema for all items, and the rest as rules",
        _ if name.starts_with("x-") => {
            "remove it: the server keeps only its own extensions, which begin with `x-kubernetes-`"
        }
        _ => return None,
    })
}

/// Instead of a value of the wrong type.
pub(super) fn of_value(key: &str, node: Node<'_>, shape: ExpectedShape) -> Option<String> {
    let is_text = node.kind() == SyntaxKind::String;
    let text = node.text();
    match (key, shape) {
        ("type", _) if node.is_list() => {
            let types = node.items().map(Node::text).filter(|ty| *ty != "null").collect::<Vec<_>>();
            let has_null = types.len() < node.items().count();
            Some(match (types.as_slice(), has_null) {
                ([one], true) => format!("write `type: {one}` and `nullable: true`"),
                ([one], false) => format!("write `type: {one}`"),
                _ => {
                    "write one type; for a number or a string, `x-kubernetes-int-or-string: true`".to_owned()
                }
            })
        }
        ("exclusiveMinimum" | "exclusiveMaximum", ExpectedShape::Flag)
            if node.kind() == SyntaxKind::Number =>
        {
            let bound = if key == "exclusiveMinimum" { "minimum" } else { "maximum" };
            Some(format!("write `{bound}: {text}` and `{key}: true`"))
        }
        ("required", _) if matches!(node.kind(), SyntaxKind::True | SyntaxKind::False) => {
            Some("list the required properties in `required` of the enclosing object".to_owned())
        }
        (_, ExpectedShape::List(_)) if is_text => Some(format!("write `{key}: [{text}]`")),
        (_, ExpectedShape::Whole | ExpectedShape::Number)
            if is_text && plain::parse(text.trim()).is_some() =>
        {
            Some(format!("write `{key}: {}`, without quotation marks", text.trim()))
        }
        (_, ExpectedShape::Flag) if is_text && matches!(text, "true" | "false") => {
            Some(format!("write `{key}: {text}`, without quotation marks"))
        }
        (_, ExpectedShape::Text)
            if matches!(node.kind(), SyntaxKind::Number | SyntaxKind::True | SyntaxKind::False) =>
        {
            Some(format!("put it in quotation marks: `{key}: \"{text}\"`"))
        }
        _ => None,
    }
}
