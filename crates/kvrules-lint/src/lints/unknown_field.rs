//! KV205 `unknown_field`: a path to a field that a VirtualMachine does not have.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::{Unresolved, catalog::Field};
use kvrules_ir::ValueType;

use crate::{
    Check, Lint, RuleView,
    fields::{at, elsewhere},
    suggest::nearest,
    words::code,
};

pub(crate) static LINT: Lint = Lint {
    code: "KV205",
    name: "unknown_field",
    level: Level::Error,
    summary: "a path names a field that a VirtualMachine does not have",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for written in rule.paths() {
        let (step, message, help) = match &written.unresolved {
            Some(Unresolved::UnknownField { step, name, parent, parent_type, known }) => {
                let help = field_help(rule, name, parent, *parent_type, known);
                (step, unknown(name, parent, *parent_type), help)
            }
            Some(Unresolved::NotAList { step, parent, parent_type }) => {
                let message = format!("{} is {} and no list", place(parent), described(*parent_type));
                (step, message, Some("remove the brackets".to_owned()))
            }
            _ => continue,
        };
        let finding = LINT.at(written.span_of_step(rule, *step), message);
        found.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }
}

fn unknown(name: &str, parent: &str, parent_type: ValueType) -> String {
    let (name, place) = (code(name), place(parent));
    if parent_type == ValueType::Object {
        return format!("{place} has no field {name}");
    }
    format!("{place} is {}, which has no field {name}", described(parent_type))
}

fn field_help(
    rule: &RuleView<'_>,
    name: &str,
    parent: &str,
    parent_type: ValueType,
    known: &[String],
) -> Option<String> {
    if parent_type == ValueType::List {
        let items = at(rule.catalog, &format!("{parent}[*]"))?;
        let name = items.fields().map(Field::name).find(|known| *known == name);
        let path = name.map_or_else(|| format!("{parent}[*]"), |name| format!("{parent}[*].{name}"));
        return Some(format!("write {} to look at every item", code(&path)));
    }
    let meant = elsewhere(rule.catalog, parent, name)
        .or_else(|| Some(format!("{parent}.{}", nearest(name, known.iter().map(String::as_str))?)));
    meant.map(|path| format!("did you mean {}?", code(&path)))
}

/// A place by its path, which begins inside the VM.
fn place(path: &str) -> String {
    if path.is_empty() { "the `.spec.template` that paths begin at".to_owned() } else { code(path) }
}

fn described(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Integer => "an integer",
        ValueType::Quantity => "a quantity",
        ValueType::String => "a string",
        ValueType::Boolean => "a boolean",
        ValueType::IntOrString => "an integer or a string",
        ValueType::Number => "a number",
        ValueType::Time => "a time",
        ValueType::Object => "an object",
        ValueType::Map => "a map",
        ValueType::List => "a list",
        ValueType::Any => "anything",
    }
}
