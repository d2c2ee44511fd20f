//! KV504 `unanchored`: `virtio|scsi`.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;

use crate::{
    LintCheck, RuleView,
    message_text::code,
    patterns::{parsed_pattern, some_of},
    relations::is_reported,
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV504",
    name: "unanchored",
    level: Level::Info,
    summary: "a list of plain strings has no anchors, so longer strings match too",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((pattern, regex)) = parsed_pattern(rule) else { return };
    let Some(texts) = regex.unanchored_literals().filter(|texts| texts.iter().all(|text| !text.is_empty()))
    else {
        return;
    };
    // A single string is usually meant to match anywhere. KV209 reports that the field is not a string.
    if texts.len() < 2 || is_reported(rule, &[super::text_of_number::CHECK]) {
        return;
    }
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let message = format!("every string that contains one of {} matches", some_of(&texts));
    let whole = format!("^(?:{})$", regex.source());
    let help = format!("write {} to match the whole string", code(&whole));
    let edit = rule.key_value(Key::Regex).and_then(|node| repair::text(rule, node, &whole));
    let title = format!("write {}, which longer strings no longer match", code(&whole));
    let fix = edit.map(|edit| Fix::not_safe(title, [edit]));
    found.push(LINT.diagnostic_at(pattern.whole(rule), message).with_help(help).fix_if(fix));
}
