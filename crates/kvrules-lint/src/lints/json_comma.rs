//! KV012 `json_comma`: a comma missing between two entries, or one too many.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::LintCheck;

pub static LINT: Lint = Lint {
    code: "KV012",
    name: "json_comma",
    level: Level::Error,
    summary: "a comma is missing between two entries, or is not allowed",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck =
    LintCheck::Problem(&[ProblemKind::JsonMissingComma, ProblemKind::JsonExtraComma], to_diagnostic);

fn to_diagnostic(problem: &Problem, source: &SourceFile) -> Diagnostic {
    if problem.kind == ProblemKind::JsonMissingComma {
        let comma = problem.notation.escape_json(",");
        return LINT
            .diagnostic_at(problem.span, "missing `,` between two entries")
            .with_help("add `,` here")
            .fix_if(
                comma.map(|comma| Fix::safe_fix("add the comma", [Edit::insert_at(problem.span, comma)])),
            );
    }
    let is_comma = source.span_text(problem.span) == ",";
    LINT.diagnostic_at(problem.span, "unexpected `,` without an entry after it")
        .with_help("remove the comma")
        .fix_if(is_comma.then(|| Fix::safe_fix("remove the comma", [Edit::remove_span(problem.span)])))
}
