//! KV401 `foreign_argument`: an argument that the rule's kind does not take.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, RuleKind};

use crate::{LintCheck, RuleView, arguments::foreign_arguments, message_text::join_with_or, repair};

pub static LINT: Lint = Lint {
    code: "KV401",
    name: "foreign_argument",
    level: Level::Warning,
    summary: "an argument belongs to another kind of rule",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(kind) = rule.kind() else { return };
    for (key, owner) in foreign_arguments(rule) {
        let Some(entry) = rule.find_entry(key) else { continue };
        let (name, own, owner) = (key.as_str(), kind.as_str(), owner.as_str());
        let message = format!("`{name}` is an argument of `{owner}` rules, and this is an `{own}` rule");
        let message = if own.starts_with(['i', 'e']) { message } else { message.replace(" an `", " a `") };
        let finding = LINT
            .diagnostic_at(entry.key.span(), message)
            .with_help(help(key, kind))
            .fix_if(argument_fix(rule, key, kind));
        found.push(match rule.key_value(Key::Rule) {
            Some(value) => finding.with_secondary_label(value.span(), "the kind of this rule"),
            None => finding,
        });
    }
}

/// The argument of this kind that an argument of another kind was plainly meant to be.
fn intended_argument(key: Key, kind: RuleKind) -> Option<Key> {
    match (key, kind) {
        (Key::MinLength, RuleKind::Integer) => Some(Key::Min),
        (Key::MaxLength, RuleKind::Integer) => Some(Key::Max),
        (Key::Min, RuleKind::String) => Some(Key::MinLength),
        (Key::Max, RuleKind::String) => Some(Key::MaxLength),
        _ => None,
    }
}

/// The argument has no effect, so removing it changes nothing, while renaming it to the intended one adds a
/// requirement.
fn argument_fix(rule: &RuleView<'_>, key: Key, kind: RuleKind) -> Option<Fix> {
    match intended_argument(key, kind).filter(|intended| rule.find_entry(*intended).is_none()) {
        Some(intended) => {
            let title = format!("write `{}`, which the rule then requires", intended.as_str());
            Some(Fix::not_safe(title, [repair::rename_key(rule, key, intended)?]))
        }
        None => Some(Fix::safe_fix(format!("remove `{}`", key.as_str()), [repair::remove_entry(rule, key)?])),
    }
}

fn help(key: Key, kind: RuleKind) -> String {
    if let Some(intended) = intended_argument(key, kind) {
        return format!("write `{}`, or change the kind of the rule", intended.as_str());
    }
    let own: Vec<_> = kind.arguments().filter(|key| *key != Key::Included).map(Key::as_str).collect();
    format!("remove it: an `{}` rule takes {}", kind.as_str(), join_with_or(&own))
        .replace("an `string`", "a `string`")
        .replace("an `regex`", "a `regex`")
}
