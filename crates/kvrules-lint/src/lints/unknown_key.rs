//! KV106 `unknown_key`: a key that no version of the annotation knows.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::Key;

use crate::{
    Check, Lint, RuleView,
    suggest::{meant_key, unknown_keys},
    words::code,
};

pub(crate) static LINT: Lint = Lint {
    code: "KV106",
    name: "unknown_key",
    level: Level::Warning,
    summary: "a rule has a key that nothing reads",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.doubtful {
        return;
    }
    for entry in unknown_keys(rule) {
        let key = entry.key.text();
        let meant = meant_key(rule, key);
        // A mandatory key that is misspelt is a missing key, which says so.
        if meant.is_some_and(|meant| Key::MANDATORY.contains(&meant)) {
            continue;
        }
        let finding = LINT.at(entry.key.span(), format!("the key {} is not known and ignored", code(key)));
        found.push(match meant {
            Some(meant) => finding.help(format!("did you mean `{}`?", meant.as_str())),
            None => finding.help("remove it, or begin it with `x-` to say that it is yours"),
        });
    }
}
