//! KV010 `json_syntax`: text where JSON has none, or none if it has some.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile};
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV010",
    name: "json_syntax",
    level: Level::Error,
    summary: "a value, a colon or the end of the JSON is missing or misplaced",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(
    &[
        ProblemKind::JsonUnexpected,
        ProblemKind::JsonMissingColon,
        ProblemKind::JsonMissingValue,
        ProblemKind::JsonTrailing,
    ],
    to_diagnostic,
);

fn to_diagnostic(problem: &Problem, source: &SourceFile) -> Diagnostic {
    let text = problem.detail.as_str();
    match problem.kind {
        ProblemKind::JsonMissingColon if text == "=" => {
            LINT.diagnostic_at(problem.span, "`=` between a key and its value").with_help("write `:`").fix_if(
                (source.span_text(problem.span) == "=")
                    .then(|| replacement_fix(problem, "write `:`", ":"))
                    .flatten(),
            )
        }
        ProblemKind::JsonMissingColon => LINT
            .diagnostic_at(problem.span, "missing `:` between a key and its value")
            .with_help("add `:` here")
            .fix_if(replacement_fix(problem, "add the colon", ":")),
        ProblemKind::JsonMissingValue if text.is_empty() => LINT
            .diagnostic_at(problem.span, "missing value after `:`")
            .with_help("add the value, or remove the key"),
        ProblemKind::JsonMissingValue => LINT
            .diagnostic_at(problem.span, format!("the key {} has no value", code(text)))
            .with_help("add `:` and the value, or remove the key"),
        ProblemKind::JsonTrailing => LINT
            .diagnostic_at(problem.span, format!("unexpected {} after the end of the JSON", code(text)))
            .with_help("remove it, or move it before the last bracket"),
        _ => unexpected_diagnostic(problem),
    }
}

/// A repair that puts this in place of what is wrong.
fn replacement_fix(problem: &Problem, title: &str, json: &str) -> Option<Fix> {
    let replacement = problem.notation.escape_json(json)?;
    Some(Fix::safe_fix(title, [Edit { span: problem.span, replacement }]))
}

fn unexpected_diagnostic(problem: &Problem) -> Diagnostic {
    let text = problem.detail.as_str();
    if text.starts_with("U+") {
        let message = format!("invalid white space {text} in JSON");
        return LINT
            .diagnostic_at(problem.span, message)
            .with_help("write a plain space")
            .fix_if(replacement_fix(problem, "write a space", " "));
    }
    LINT.diagnostic_at(problem.span, format!("{} has no meaning here", code(text)))
}
