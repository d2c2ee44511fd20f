//! KV107 `unknown_kind`: a `rule` that is none of the four kinds.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, find_nearest};
use kvrules_elaborate::annotation::{Key, RuleKind};

use crate::{
    LintCheck, RuleView,
    message_text::{code, join_with_or},
    repair,
};

pub static LINT: Lint = Lint {
    code: "KV107",
    name: "unknown_kind",
    level: Level::Error,
    summary: "a rule is of an unknown kind",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(value) = rule.key_value(Key::Rule) else { return };
    let filled = value.as_str().filter(|text| !text.is_empty()).and_then(|text| rule.fill_parameters(text));
    let Some(text) = filled.filter(|text| RuleKind::from_text(text).is_none()) else { return };
    let kinds = RuleKind::ALL.map(RuleKind::as_str);
    let finding = LINT.diagnostic_at(value.span(), format!("unknown rule kind {}", code(&text)));
    found.push(match other_name(&text).or_else(|| find_nearest(&text, kinds)) {
        Some(kind) => finding.with_help(format!("did you mean `{kind}`?")).fix_if(
            repair::text(rule, value, kind).map(|edit| {
                Fix::not_safe(format!("write `{kind}`, so that the rule is no longer skipped"), [edit])
            }),
        ),
        None => finding.with_help(format!("write {}", join_with_or(&kinds))),
    });
}

/// Kinds by the names that other languages have for them.
fn other_name(text: &str) -> Option<&'static str> {
    let kind = match text.to_ascii_lowercase().as_str() {
        "int" | "number" | "range" | "min" | "max" | "quantity" => RuleKind::Integer,
        "str" | "text" | "length" => RuleKind::String,
        "pattern" | "match" | "regexp" => RuleKind::Regex,
        "values" | "choice" | "oneof" | "one-of" | "in" => RuleKind::Enum,
        _ => return None,
    };
    Some(kind.as_str())
}
