//! KV405 `empty_values`: an enumeration of nothing.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::RuleKind;

use crate::{LintCheck, RuleView};

pub static LINT: Lint = Lint {
    code: "KV405",
    name: "empty_values",
    level: Level::Error,
    summary: "an `enum` rule allows no value at all",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.kind() != Some(RuleKind::Enum) {
        return;
    }
    let empty = rule.arguments().filter(|(_, list)| list.is_list() && list.items().next().is_none());
    found.extend(empty.map(|(key, list)| {
        LINT.diagnostic_at(
            list.span(),
            format!("`{}` is empty, so no value satisfies the rule", key.as_str()),
        )
        .with_help("write the allowed values")
    }));
}
