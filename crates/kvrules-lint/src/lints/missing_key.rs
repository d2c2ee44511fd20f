//! KV102 `missing_key`: a rule without one of the keys that every rule must have.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::Key;

use crate::{
    Check, Lint, RuleView,
    suggest::{meant_key, unknown_keys},
    words::code,
};

pub(crate) static LINT: Lint = Lint {
    code: "KV102",
    name: "missing_key",
    level: Level::Error,
    summary: "a rule lacks `rule`, `name`, `path` or `message`",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.doubtful {
        return;
    }
    let missing = Key::MANDATORY.into_iter().filter(|key| rule.entry(*key).is_none());
    for key in missing {
        let message = format!("{} lacks the mandatory key `{}`", rule.title(), key.as_str());
        let finding = LINT.at(rule.head(), message);
        let misspelt = unknown_keys(rule).find(|entry| meant_key(rule, entry.key.text()) == Some(key));
        found.push(match misspelt {
            Some(entry) => finding
                .also(entry.key.span(), format!("is this meant to be `{}`?", key.as_str()))
                .help(format!("write `{}` instead of {}", key.as_str(), code(entry.key.text()))),
            None => finding.help(help(key)),
        });
    }
}

fn help(key: Key) -> &'static str {
    match key {
        Key::Rule => "add `\"rule\"` with the kind of the rule: `integer`, `string`, `regex` or `enum`",
        Key::Name => "add `\"name\"` with a name that no other rule of the template has",
        Key::Path => {
            "add `\"path\"` with the field to look at, such as `\"jsonpath::.spec.domain.cpu.cores\"`"
        }
        _ => "add `\"message\"` with what to tell a user whose machine breaks the rule",
    }
}
