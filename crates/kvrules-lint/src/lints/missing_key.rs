//! KV102 `missing_key`: a rule without one of the keys that every rule must have.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_syntax::{Entry, edit::Rewriter};

use crate::{
    LintCheck, RuleView,
    message_text::code,
    suggest::{intended_key, unknown_keys},
};

pub static LINT: Lint = Lint {
    code: "KV102",
    name: "missing_key",
    level: Level::Error,
    summary: "a rule lacks `rule`, `name`, `path` or `message`",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.uncertain {
        return;
    }
    let missing = Key::MANDATORY.into_iter().filter(|key| rule.find_entry(*key).is_none());
    for key in missing {
        let message = format!("missing mandatory key `{}` in {}", key.as_str(), rule.message_title());
        let finding = LINT.diagnostic_at(rule.head_span(), message);
        let misspelt = unknown_keys(rule).find(|entry| intended_key(rule, entry.key.text()) == Some(key));
        found.push(match misspelt {
            Some(entry) => finding
                .with_secondary_label(entry.key.span(), format!("did you mean `{}`?", key.as_str()))
                .with_help(format!("write `{}` instead of {}", key.as_str(), code(entry.key.text())))
                .fix_if(rename_fix(rule, entry, key)),
            None => finding.with_help(help(key)),
        });
    }
}

/// The rule cannot be read as it is. Where more than letter case and separators differ, the key is a guess.
fn rename_fix(rule: &RuleView<'_>, entry: Entry<'_>, key: Key) -> Option<Fix> {
    let edit = Rewriter::new(rule.source).rename_key(entry, key.as_str())?;
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let certain = plain(entry.key.text()) == plain(key.as_str());
    let applicability = if certain { Applicability::Safe } else { Applicability::Unsafe };
    Some(Fix::new(applicability, format!("write `{}`, which gives the rule a meaning", key.as_str()), [edit]))
}

fn help(key: Key) -> &'static str {
    match key {
        Key::Rule => "add `\"rule\"` with the kind of the rule: `integer`, `string`, `regex` or `enum`",
        Key::Name => "add `\"name\"` with a name that no other rule of the template has",
        Key::Path => "add `\"path\"` with the field to check, such as `\"jsonpath::.spec.domain.cpu.cores\"`",
        _ => "add `\"message\"` with a message for users whose machine violates the rule",
    }
}
