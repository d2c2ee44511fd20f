//! KV107 `unknown_kind`: a `rule` that is none of the four kinds.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_elaborate::annotation::{Key, RuleKind};

use crate::{
    Check, Lint, RuleView,
    suggest::nearest,
    words::{code, either},
};

pub(crate) static LINT: Lint = Lint {
    code: "KV107",
    name: "unknown_kind",
    level: Level::Error,
    summary: "a rule is of a kind that does not exist",
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(value) = rule.value(Key::Rule) else { return };
    let filled = value.as_str().filter(|text| !text.is_empty()).and_then(|text| rule.filled(text));
    let Some(text) = filled.filter(|text| RuleKind::from_text(text).is_none()) else { return };
    let kinds = RuleKind::ALL.map(RuleKind::as_str);
    let help = match other_name(&text).or_else(|| nearest(&text, kinds)) {
        Some(kind) => format!("did you mean `{kind}`?"),
        None => format!("write {}", either(&kinds)),
    };
    found.push(LINT.at(value.span(), format!("{} is no kind of rule", code(&text))).help(help));
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
