//! KV016 `json_escape`: backslashes and control characters that JSON strings cannot hold.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV016",
    name: "json_escape",
    level: Level::Error,
    summary: "a string has a backslash that escapes nothing, or a bare control character",
    check: Check::Problem(&[ProblemKind::JsonEscape, ProblemKind::JsonControl], word),
};

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let text = problem.detail.as_str();
    if problem.kind == ProblemKind::JsonEscape {
        return LINT
            .at(problem.span, format!("{} is no escape of JSON", code(text)))
            .help(format!("write {}, so that one backslash remains", code(&format!("\\{text}"))));
    }
    let (what, help) = match text.chars().next() {
        Some('\n' | '\r') => ("a line break", "write `\\n`, or put the string on one line"),
        Some('\t') => ("a tab", "write `\\t`"),
        _ => ("a control character", "write it as `\\u` and four hexadecimal digits"),
    };
    LINT.at(problem.span, format!("{what} inside a string")).help(help)
}
