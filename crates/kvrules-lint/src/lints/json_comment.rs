//! KV013 `json_comment`: a comment inside JSON.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV013",
    name: "json_comment",
    level: Level::Error,
    summary: "JSON has no comments",
    check: Check::Problem(&[ProblemKind::JsonComment], word),
};

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    LINT.at(problem.span, "a comment inside JSON, which has none")
        .help("put it into a key that begins with `x-`, or above the annotation")
}
