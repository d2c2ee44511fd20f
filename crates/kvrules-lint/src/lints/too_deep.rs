//! KV005 `too_deep`: more nesting, or more text behind aliases, than anybody means.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV005",
    name: "too_deep",
    level: Level::Error,
    summary: "lists and objects nest too deep, or aliases multiply without end",
    fix: None,
    check: Check::Problem(&[ProblemKind::TooDeep, ProblemKind::AliasExpansion], word),
};

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    match problem.kind {
        ProblemKind::AliasExpansion => {
            let message = format!("the alias {} contains itself, or repeats too much", code(&problem.detail));
            LINT.at(problem.span, message).help("write out what it stands for")
        }
        _ => LINT.at(problem.span, "lists and objects nest too deep to be read").label("not read from here"),
    }
}
