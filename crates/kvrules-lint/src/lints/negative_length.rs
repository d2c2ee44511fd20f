//! KV404 `negative_length`: a bound of a length that is below zero.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, RuleKind};
use kvrules_kubernetes::quantity::Quantity;

use crate::{LintCheck, RuleView, message_text::code, repair};

pub static LINT: Lint = Lint {
    code: "KV404",
    name: "negative_length",
    level: Level::Error,
    summary: "`minLength` or `maxLength` is negative",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.kind() != Some(RuleKind::String) {
        return;
    }
    let Ok(zero) = Quantity::parse("0") else { return };
    for key in [Key::MinLength, Key::MaxLength] {
        let Some((node, _)) = rule.number_argument(key).filter(|(_, length)| *length < zero) else {
            continue;
        };
        let message =
            format!("negative `{}` {}: no string is shorter than `0`", key.as_str(), code(node.text()));
        let help = match key {
            Key::MinLength => "remove it: every string is long enough",
            _ => "write how many characters the string may have",
        };
        // Remove it only if another argument is left, because a rule without arguments is another error.
        let idle = key == Key::MinLength && rule.find_entry(Key::MaxLength).is_some();
        let edit = idle.then(|| repair::remove_entry(rule, key)).flatten();
        let fix = edit.map(|edit| Fix::safe_fix("remove `minLength`", [edit]));
        found.push(LINT.diagnostic_at(node.span(), message).with_help(help).fix_if(fix));
    }
}
