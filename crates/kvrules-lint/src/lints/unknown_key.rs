//! KV106 `unknown_key`: a key that no version of the annotation knows.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_syntax::edit::Rewriter;

use crate::{
    LintCheck, RuleView,
    message_text::code,
    suggest::{intended_key, unknown_keys},
};

pub static LINT: Lint = Lint {
    code: "KV106",
    name: "unknown_key",
    level: Level::Warning,
    summary: "a rule has an unknown key",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.uncertain {
        return;
    }
    for entry in unknown_keys(rule) {
        let key = entry.key.text();
        let intended = intended_key(rule, key);
        // If a mandatory key is misspelt, the finding about the missing key mentions that.
        if intended.is_some_and(|intended| Key::MANDATORY.contains(&intended)) {
            continue;
        }
        let finding = LINT.diagnostic_at(entry.key.span(), format!("unknown key {} is ignored", code(key)));
        found.push(match intended {
            Some(intended) => finding.with_help(format!("did you mean `{}`?", intended.as_str())).fix_if(
                Rewriter::new(rule.source).rename_key(entry, intended.as_str()).map(|edit| {
                    let title = format!("write `{}`, which the rule then means", intended.as_str());
                    Fix::not_safe(title, [edit])
                }),
            ),
            None => finding.with_help("remove it, or prefix it with `x-` to mark it as your own"),
        });
    }
}
