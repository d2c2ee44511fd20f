//! KV404 `negative_length`: a bound of a length that is below zero.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::{Key, RuleKind};
use kvrules_ir::quantity::Quantity;

use crate::{Check, Lint, RuleView, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV404",
    name: "negative_length",
    level: Level::Error,
    summary: "`minLength` or `maxLength` is below zero",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.kind() != Some(RuleKind::String) {
        return;
    }
    let Ok(zero) = Quantity::parse("0") else { return };
    for key in [Key::MinLength, Key::MaxLength] {
        let Some((node, _)) = rule.number(key).filter(|(_, length)| *length < zero) else { continue };
        let message = format!("`{}` is {}, and no text is shorter than `0`", key.as_str(), code(node.text()));
        let help = match key {
            Key::MinLength => "remove it: every text is long enough",
            _ => "write how many characters the text may have",
        };
        found.push(LINT.at(node.span(), message).help(help));
    }
}
