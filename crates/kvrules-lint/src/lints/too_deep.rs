//! KV005 `too_deep`: more nesting, or more text behind aliases, than anybody means.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV005",
    name: "too_deep",
    level: Level::Error,
    summary: "lists and objects nest too deep, or aliases expand without limit",
    fix: None,
};

pub(super) const CHECK: LintCheck =
    LintCheck::Problem(&[ProblemKind::TooDeep, ProblemKind::AliasExpansion], to_diagnostic);

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    match problem.kind {
        ProblemKind::AliasExpansion => {
            let message = format!("the alias {} is recursive, or expands too much", code(&problem.detail));
            LINT.diagnostic_at(problem.span, message).with_help("replace it with its content")
        }
        _ => LINT
            .diagnostic_at(problem.span, "nesting of lists and objects is too deep")
            .with_label("not read from here"),
    }
}
