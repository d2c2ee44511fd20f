//! KV103 `empty_key`: a key that must say something, and says nothing.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::{Key, PREFIX};
use kvrules_syntax::SyntaxKind;

use crate::{LintCheck, RuleView};

pub static LINT: Lint = Lint {
    code: "KV103",
    name: "empty_key",
    level: Level::Error,
    summary: "a mandatory key, or `valid`, is empty",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for key in Key::MANDATORY.into_iter().chain([Key::Valid]) {
        let Some(value) = rule.find_entry(key).map(|entry| entry.value) else { continue };
        let what = match value.kind() {
            SyntaxKind::Null if key != Key::Valid => "null",
            SyntaxKind::String if value.text().is_empty() => "empty",
            SyntaxKind::String if value.text() == PREFIX && matches!(key, Key::Path | Key::Valid) => {
                "empty behind `jsonpath::`"
            }
            _ => continue,
        };
        let message = format!("the key `{}` is {what}", key.as_str());
        found.push(LINT.diagnostic_at(value.span(), message).with_help(help(key)));
    }
}

fn help(key: Key) -> &'static str {
    match key {
        Key::Rule => "write the kind of the rule: `integer`, `string`, `regex` or `enum`",
        Key::Name => "write a name that no other rule of the template has",
        Key::Path => "write the path of the field to check",
        Key::Valid => "write the path of the field that must be present, or remove the key",
        _ => "write a message for users whose machine violates the rule",
    }
}
