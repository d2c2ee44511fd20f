//! KV014 `json_unclosed`: a bracket or a string without its end.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV014",
    name: "json_unclosed",
    level: Level::Error,
    summary: "a list, an object or a string is not closed",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(&[ProblemKind::JsonUnclosed], to_diagnostic);

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let (message, close) = match problem.detail.as_str() {
        "[" => ("unclosed list `[`".to_owned(), "]"),
        "{" => ("unclosed object `{`".to_owned(), "}"),
        text => (format!("unclosed string {}", code(text)), "\""),
    };
    let found = LINT.diagnostic_at(problem.span, message);
    match problem.related {
        Some(missed) => found.with_secondary_label(missed, format!("`{close}` is missing here")),
        None => found.with_help(format!("add `{close}`")),
    }
}
