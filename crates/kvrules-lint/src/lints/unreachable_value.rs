//! KV412 `unreachable_value`: an enumeration allows something that its field cannot be.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{Constraint, EnumValue, ValueType};
use kvrules_syntax::{Node, edit::Rewriter, find_parameters};

use crate::{
    LintCheck, RuleView,
    arguments::enumerated_values,
    message_text::{code, of_type, vm_path},
    repair,
    values::{all_impossible, can_be_text},
};

pub static LINT: Lint = Lint {
    code: "KV412",
    name: "unreachable_value",
    level: Level::Warning,
    summary: "an `enum` rule allows a value that its field cannot have",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let value_type = meaning.requirement.subject.leaf.value_type;
    let Constraint::Enum { values } = &read.constraint else { return };
    // Another lint reports a rule that no value satisfies.
    if !value_type.is_scalar() || all_impossible(value_type, values) {
        return;
    }
    for (_, node, value) in enumerated_values(rule, values) {
        let EnumValue::Text(text) = value else { continue };
        if !can_be_text(value_type, text) {
            let (field, what) = (vm_path(&read.path.text), of_type(value_type));
            let message = format!("{field} is {what}, which is never written {}", code(text));
            let fix = value_fix(rule, node, value_type);
            found.push(LINT.diagnostic_at(node.span(), message).with_help(help(value_type)).fix_if(fix));
        }
    }
}

/// The fix for a boolean in another case, such as `True`. Any other unreachable value has none.
fn value_fix(rule: &RuleView<'_>, node: Node<'_>, value_type: ValueType) -> Option<Fix> {
    let text = node.text();
    if find_parameters(text).next().is_some() {
        return None;
    }
    let lower = text.trim().to_ascii_lowercase();
    if value_type == ValueType::Boolean && matches!(lower.as_str(), "true" | "false") {
        let edit = repair::text(rule, node, &lower)?;
        return Some(Fix::not_safe(format!("write `{lower}`, which the rule then allows"), [edit]));
    }
    let list = rule.key_value(Key::Values).or_else(|| rule.key_value(Key::Included))?;
    let edit = Rewriter::new(rule.source).remove_item(list, node)?;
    Some(Fix::safe_fix(format!("remove {}", code(text)), [edit]))
}

fn help(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Boolean => "write `true` or `false`, in lower case",
        ValueType::Quantity => "write a quantity such as `1Gi`, the way machines write it",
        _ => "write integers, without a point or leading zeros",
    }
}
