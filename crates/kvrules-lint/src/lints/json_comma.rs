//! KV012 `json_comma`: a comma missing between two entries, or one too many.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV012",
    name: "json_comma",
    level: Level::Error,
    summary: "a comma is missing between two entries, or stands where none may be",
    check: Check::Problem(&[ProblemKind::JsonMissingComma, ProblemKind::JsonExtraComma], word),
};

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    match problem.kind {
        ProblemKind::JsonMissingComma => {
            LINT.at(problem.span, "missing `,` between two entries").help("add `,` here")
        }
        _ => LINT.at(problem.span, "`,` without an entry behind it").help("remove the comma"),
    }
}
