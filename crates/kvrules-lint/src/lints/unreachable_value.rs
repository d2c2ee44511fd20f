//! KV412 `unreachable_value`: an enumeration allows something that its field cannot be.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_ir::{Constraint, EnumValue, ValueType};

use crate::{
    Check, Lint, RuleView,
    arguments::enumerated,
    values::{all_impossible, can_be_text},
    words::{code, of_type, place},
};

pub(crate) static LINT: Lint = Lint {
    code: "KV412",
    name: "unreachable_value",
    level: Level::Warning,
    summary: "an `enum` rule allows a value that its field cannot have",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let value_type = meaning.requirement.subject.leaf.value_type;
    let Constraint::Enum { values } = &read.constraint else { return };
    // That nothing at all satisfies the rule is a mistake of its own.
    if !value_type.is_scalar() || all_impossible(value_type, values) {
        return;
    }
    for (_, node, value) in enumerated(rule, values) {
        let EnumValue::Text(text) = value else { continue };
        if !can_be_text(value_type, text) {
            let (field, what) = (place(&read.path.text), of_type(value_type));
            let message = format!("{field} is {what}, which is never written {}", code(text));
            found.push(LINT.at(node.span(), message).help(help(value_type)));
        }
    }
}

fn help(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Boolean => "write `true` or `false`, in lower case",
        ValueType::Quantity => "write a quantity such as `1Gi`, the way machines write it",
        _ => "write whole numbers, without a point or leading zeros",
    }
}
