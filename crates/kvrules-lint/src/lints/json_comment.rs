//! KV013 `json_comment`: a comment inside JSON.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile, Span};
use kvrules_syntax::{Notation, Problem, ProblemKind};

use crate::LintCheck;

pub static LINT: Lint = Lint {
    code: "KV013",
    name: "json_comment",
    level: Level::Error,
    summary: "JSON has no comments",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(&[ProblemKind::JsonComment], to_diagnostic);

fn to_diagnostic(problem: &Problem, source: &SourceFile) -> Diagnostic {
    let help = match problem.notation {
        Notation::Json(None) => {
            "remove the comment, or put it into a key such as `$comment` or `description`"
        }
        _ => "put it into a key that begins with `x-`, or above the annotation",
    };
    LINT.diagnostic_at(problem.span, "comment in JSON, which allows none").with_help(help).with_fix(
        Fix::not_safe(
            "remove the comment, whose text is lost",
            [Edit::remove_span(comment_span(problem, source))],
        ),
    )
}

/// The comment, with its line where it has that for itself.
fn comment_span(problem: &Problem, source: &SourceFile) -> Span {
    let (text, range) = (source.text(), problem.span.to_range());
    let before = text.get(..range.start).unwrap_or_default();
    let blanks = before.len() - before.trim_end_matches(' ').len();
    let behind = text.get(range.end..).unwrap_or_default();
    let starts_line = before.trim_end_matches(' ').ends_with('\n');
    match ["\n", "\r\n"].into_iter().find(|end| behind.starts_with(*end) && starts_line) {
        Some(end) => Span {
            start: problem.span.start - u32::try_from(blanks).unwrap_or(0),
            end: problem.span.end + u32::try_from(end.len()).unwrap_or(0),
            ..problem.span
        },
        None => problem.span,
    }
}
