//! KV208 `kind_of_field`: a rule of a kind that no value of the field can satisfy.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{Constraint, Path, Place, ValueType};

use crate::{
    LintCheck, RuleView,
    message_text::{a_rule, code, of_type, vm_path},
    values::can_be_integer,
};

pub static LINT: Lint = Lint {
    code: "KV208",
    name: "kind_of_field",
    level: Level::Error,
    summary: "a rule is of a kind that no value of its field satisfies",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let leaf = &meaning.requirement.subject.leaf;
    if fits_type(&read.constraint, leaf.value_type) {
        return;
    }
    let Some(kind) = rule.kind() else { return };
    let Some(written) = rule.key_value(Key::Path).and_then(|node| rule.written(node)) else { return };
    // Another lint reports a missing path.
    if written.text.is_empty() {
        return;
    }
    let field = vm_path(&read.path.text);
    let message = format!("{field} is {}, which never satisfies {}", of_type(leaf.value_type), a_rule(kind));
    let span = written.span_of_step(rule, read.path.steps.len().saturating_sub(1));
    let finding = LINT.diagnostic_at(span, message).with_help(help(leaf, &read.path));
    found.push(match rule.key_value(Key::Rule) {
        Some(value) => finding.with_secondary_label(value.span(), "the kind of this rule"),
        None => finding,
    });
}

fn fits_type(constraint: &Constraint, value_type: ValueType) -> bool {
    match constraint {
        Constraint::Integer { .. } => can_be_integer(value_type),
        Constraint::String { .. } | Constraint::Enum { .. } | Constraint::Regex { .. } => {
            value_type.is_scalar()
        }
    }
}

fn help(leaf: &Place, path: &Path) -> String {
    match leaf.value_type {
        ValueType::Boolean => "use an `enum` rule with the `values` `true` or `false`".to_owned(),
        ValueType::List => format!("write {} to check every item", code(&format!("{}[*]", path.text))),
        ValueType::Object => "name one of its fields".to_owned(),
        ValueType::Map => "name one of its keys".to_owned(),
        _ => "use a `string`, an `enum` or a `regex` rule".to_owned(),
    }
}
