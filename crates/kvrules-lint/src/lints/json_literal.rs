//! KV015 `json_literal`: numbers and words as other languages write them.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV015",
    name: "json_literal",
    level: Level::Error,
    summary: "a number or a literal is not valid JSON",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck =
    LintCheck::Problem(&[ProblemKind::JsonNumber, ProblemKind::JsonWord], to_diagnostic);

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let text = problem.detail.as_str();
    let (what, corrected) = match problem.kind {
        ProblemKind::JsonNumber => ("number", intended_number(text)),
        _ => ("word", intended_word(text).map(str::to_owned)),
    };
    let found = LINT.diagnostic_at(problem.span, format!("invalid JSON {what} {}", code(text)));
    match corrected {
        Some(corrected) => {
            let replacement = problem.notation.escape_json(&corrected);
            let edit = replacement.map(|replacement| Edit { span: problem.span, replacement });
            let found = found.with_help(format!("write `{corrected}`"));
            found.fix_if(edit.map(|edit| Fix::safe_fix(format!("write `{corrected}`"), [edit])))
        }
        None => found.with_help("write a number, or remove the key"),
    }
}

fn intended_word(text: &str) -> Option<&'static str> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some("true"),
        "false" => Some("false"),
        "none" | "null" | "nil" | "undefined" => Some("null"),
        _ => None,
    }
}

fn intended_number(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i128::from_str_radix(hex, 16).ok().map(|number| format!("{sign}{number}"));
    }
    let digits = digits.trim_start_matches('0').trim_end_matches('.');
    let zero = if digits.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    Some(format!("{sign}{zero}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::intended_number;

    #[test]
    fn numbers_of_other_languages_are_rewritten() {
        let cases = [("+1", "1"), (".5", "0.5"), ("007", "7"), ("-0x10", "-16"), ("1.", "1"), ("00", "0")];
        for (written, corrected) in cases {
            assert_eq!(intended_number(written).as_deref(), Some(corrected));
        }
    }
}
