//! KV501 `regex_syntax`: a pattern that the RE2 dialect does not accept.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::{Key, RuleKind};

use crate::{Check, Lint, RuleView, precise};

pub(crate) static LINT: Lint = Lint {
    code: "KV501",
    name: "regex_syntax",
    level: Level::Error,
    summary: "a regular expression is not one of RE2",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    if rule.kind() != Some(RuleKind::Regex) {
        return;
    }
    let Some(node) = rule.value(Key::Regex) else { return };
    let Some((written, pattern)) = node.as_str().and_then(|text| Some((text, rule.filled(text)?))) else {
        return;
    };
    let Err(error) = kvrules_regex::parse(&pattern) else { return };
    let span = if pattern == written {
        precise::span_of(rule.source, node, error.span.clone())
    } else {
        node.span()
    };
    let finding = LINT.at(span, error.to_string());
    found.push(match error.help() {
        Some(help) => finding.help(help),
        None => finding,
    });
}
