//! KV209 `text_of_number`: a rule on the text of a number or boolean field.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::{Key, RuleKind};
use kvrules_ir::{Constraint, ValueType};

use crate::{
    LintCheck, RuleView,
    message_text::{a_rule, of_type, vm_path},
    presence::has_no_argument,
};

pub static LINT: Lint = Lint {
    code: "KV209",
    name: "text_of_number",
    level: Level::Warning,
    summary: "a `string` or `regex` rule checks the characters of a number or a boolean",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let value_type = meaning.requirement.subject.leaf.value_type;
    let (kind, help) = match (&read.constraint, value_type) {
        (Constraint::String { .. }, ValueType::Integer | ValueType::Number | ValueType::Quantity) => {
            (RuleKind::String, "use an `integer` rule with `min` and `max` to bound its value")
        }
        (Constraint::String { .. }, ValueType::Boolean) => {
            (RuleKind::String, "use an `enum` rule with the `values` `true` or `false`")
        }
        (Constraint::Regex { .. }, ValueType::Integer | ValueType::Number) => {
            (RuleKind::Regex, "use an `integer` rule with `min` and `max` to bound its value")
        }
        (Constraint::Regex { .. }, ValueType::Boolean) => {
            (RuleKind::Regex, "use an `enum` rule with the `values` `true` or `false`")
        }
        _ => return,
    };
    if has_no_argument(read) {
        return;
    }
    let Some(value) = rule.key_value(Key::Rule) else { return };
    let (field, what) = (vm_path(&read.path.text), of_type(value_type));
    let message = format!("{field} is {what}, but {} checks the characters it is written with", a_rule(kind));
    found.push(LINT.diagnostic_at(value.span(), message).with_help(help));
}
