//! KV004 `duplicate_key`: a key that stands twice.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV004",
    name: "duplicate_key",
    level: Level::Error,
    summary: "an object has a duplicate key, and only the last one counts",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(&[ProblemKind::DuplicateKey], to_diagnostic);

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let message = format!("duplicate key {}: only the last one counts", code(&problem.detail));
    let found = LINT.diagnostic_at(problem.span, message).with_help("remove one of the two");
    match problem.related {
        Some(first) => found.with_secondary_label(first, "this one is ignored"),
        None => found,
    }
}
