//! KV012 `json_comma`: a comma missing between two entries, or one too many.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV012",
    name: "json_comma",
    level: Level::Error,
    summary: "a comma is missing between two entries, or is not allowed",
    fix: Some(Applicability::Safe),
    check: Check::Problem(&[ProblemKind::JsonMissingComma, ProblemKind::JsonExtraComma], word),
};

fn word(problem: &Problem, source: &SourceFile) -> Diagnostic {
    if problem.kind == ProblemKind::JsonMissingComma {
        let comma = problem.notation.written(",");
        return LINT
            .at(problem.span, "missing `,` between two entries")
            .help("add `,` here")
            .fix_if(comma.map(|comma| Fix::safe("add the comma", [Edit::insert(problem.span, comma)])));
    }
    let is_comma = source.slice(problem.span) == ",";
    LINT.at(problem.span, "unexpected `,` without an entry after it")
        .help("remove the comma")
        .fix_if(is_comma.then(|| Fix::safe("remove the comma", [Edit::remove(problem.span)])))
}
