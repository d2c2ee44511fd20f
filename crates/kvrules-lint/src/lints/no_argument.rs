//! KV402 `no_argument`: a rule that demands nothing.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::{ALL_KEYS, Key, RuleKind};

use crate::{
    LintCheck, RuleView,
    suggest::{intended_key, unknown_keys},
};

pub static LINT: Lint = Lint {
    code: "KV402",
    name: "no_argument",
    level: Level::Warning,
    summary: "a rule has no argument, so its requirement is undefined",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.uncertain {
        return;
    }
    let (Some(kind), Some(value)) = (rule.kind(), rule.key_value(Key::Rule)) else { return };
    // Other lints report arguments of another kind of rule, and misspelt ones.
    let given = ALL_KEYS.into_iter().filter(|key| key.argument_of().is_some()).any(|key| is_there(rule, key));
    let is_argument = |key: Key| key.argument_of() == Some(kind);
    if given || unknown_keys(rule).any(|entry| intended_key(rule, entry.key.text()).is_some_and(is_argument))
    {
        return;
    }
    let (message, label, help) = kind_words(kind);
    found.push(LINT.diagnostic_at(value.span(), message).with_label(label).with_help(help));
}

/// True if a key has a value, even one that could not be read.
fn is_there(rule: &RuleView<'_>, key: Key) -> bool {
    rule.find_entry(key).is_some_and(|entry| entry.value.kind() != kvrules_syntax::SyntaxKind::Null)
}

fn kind_words(kind: RuleKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        RuleKind::Integer => (
            "this `integer` rule has neither `min` nor `max`",
            "every integer satisfies it",
            "add `min` or `max`",
        ),
        RuleKind::String => (
            "this `string` rule has neither `minLength` nor `maxLength`",
            "every value satisfies it",
            "add `minLength` or `maxLength`",
        ),
        RuleKind::Enum => ("this `enum` rule has no `values`", "no value satisfies it", "add `values`"),
        RuleKind::Regex => ("this `regex` rule has no `regex`", "every value satisfies it", "add `regex`"),
    }
}
