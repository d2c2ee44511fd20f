//! Suggests what to write instead.

use kvrules_syntax::{Kind, Node};

use super::Shape;
use crate::plain;

/// Instead of a keyword that the server drops.
pub(super) fn of_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "const" => "write `enum` with this one value",
        "if" | "then" | "else" => {
            "say it with a rule under `x-kubernetes-validations`: `!(condition) || then`"
        }
        "examples" => "`example` takes one value; it has no effect either",
        "$id" | "$comment" | "readOnly" | "writeOnly" | "xml" | "discriminator" => "take it out",
        "$defs" => "write what it holds where it is used: structural schemas have no references",
        "deprecated" => {
            "say it in `description`; a whole version is deprecated with `deprecated` beside its name"
        }
        "propertyNames" => "say it with a rule: `self.all(key, key.matches('…'))`",
        "contains" => "say it with a rule: `self.exists(item, …)`",
        "minContains" | "maxContains" => "say it with a rule: `self.filter(item, …).size() >= …`",
        "dependentRequired" | "dependentSchemas" => "say it with a rule: `!has(self.a) || has(self.b)`",
        "unevaluatedProperties" | "unevaluatedItems" => "fields that are not declared are pruned anyway",
        "prefixItems" => "structural schemas have one schema for all items; say the rest with rules",
        _ if name.starts_with("x-") => {
            "the server keeps only extensions of its own, which begin with `x-kubernetes-`"
        }
        _ => return None,
    })
}

/// Instead of a value of the wrong type.
pub(super) fn of_value(key: &str, node: Node<'_>, shape: Shape) -> Option<String> {
    let is_text = node.kind() == Kind::String;
    let text = node.text();
    match (key, shape) {
        ("type", _) if node.is_list() => {
            let types = node.items().map(Node::text).filter(|ty| *ty != "null").collect::<Vec<_>>();
            let has_null = types.len() < node.items().count();
            Some(match (types.as_slice(), has_null) {
                ([one], true) => format!("write `type: {one}` and `nullable: true`"),
                ([one], false) => format!("write `type: {one}`"),
                _ => "a value has one type; for a number or a text write `x-kubernetes-int-or-string: true`"
                    .to_owned(),
            })
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Shape::Flag) if node.kind() == Kind::Number => {
            let bound = if key == "exclusiveMinimum" { "minimum" } else { "maximum" };
            Some(format!("write `{bound}: {text}` and `{key}: true`"))
        }
        ("required", _) if matches!(node.kind(), Kind::True | Kind::False) => Some(
            "list the names of the properties that are required in the object around this one".to_owned(),
        ),
        (_, Shape::List(_)) if is_text => Some(format!("write `{key}: [{text}]`")),
        (_, Shape::Whole | Shape::Number) if is_text && plain::parse(text.trim()).is_some() => {
            Some(format!("write `{key}: {}`, without quotation marks", text.trim()))
        }
        (_, Shape::Flag) if is_text && matches!(text, "true" | "false") => {
            Some(format!("write `{key}: {text}`, without quotation marks"))
        }
        (_, Shape::Text) if matches!(node.kind(), Kind::Number | Kind::True | Kind::False) => {
            Some(format!("put it in quotation marks: `{key}: \"{text}\"`"))
        }
        _ => None,
    }
}
