//! KV016 `json_escape`: backslashes and control characters that JSON strings cannot hold.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV016",
    name: "json_escape",
    level: Level::Error,
    summary: "a string has a backslash that escapes nothing, or a bare control character",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck =
    LintCheck::Problem(&[ProblemKind::JsonEscape, ProblemKind::JsonControl], to_diagnostic);

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let text = problem.detail.as_str();
    if problem.kind == ProblemKind::JsonEscape {
        return LINT
            .diagnostic_at(problem.span, format!("invalid JSON escape {}", code(text)))
            .with_help(format!("write {}, so that one backslash remains", code(&format!("\\{text}"))))
            .fix_if(double_backslash(problem));
    }
    let (what, help) = match text.chars().next() {
        Some('\n' | '\r') => ("a line break", "write `\\n`, or put the string on one line"),
        Some('\t') => ("a tab", "write `\\t`"),
        _ => ("a control character", "write it as `\\u` and four hexadecimal digits"),
    };
    LINT.diagnostic_at(problem.span, format!("{what} inside a string"))
        .with_help(help)
        .fix_if(escape_tabs(problem))
}

/// The backslash a second time, where a letter or a mark follows it.
fn double_backslash(problem: &Problem) -> Option<Fix> {
    let next = problem.detail.strip_prefix('\\')?.chars().next()?;
    let backslash = problem.notation.escape_json("\\").filter(|_| next.is_ascii_graphic())?;
    Some(Fix::safe_fix("double the backslash", [Edit::insert_at(problem.span, backslash)]))
}

/// Tabs as escapes. A line break may have indentation behind it that is not part of the string.
fn escape_tabs(problem: &Problem) -> Option<Fix> {
    let tabs = problem.detail.bytes().all(|byte| byte == b'\t');
    let replacement = problem.notation.escape_json(&problem.detail.replace('\t', "\\t")).filter(|_| tabs)?;
    Some(Fix::safe_fix("write `\\t`", [Edit { span: problem.span, replacement }]))
}
