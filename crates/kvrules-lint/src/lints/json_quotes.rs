//! KV011 `json_quotes`: quotation marks that are not JSON's, or that are missing.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint, SourceFile, Span};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{Problem, ProblemKind};

use crate::{LintCheck, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV011",
    name: "json_quotes",
    level: Level::Error,
    summary: "a string is not in straight double quotation marks",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Problem(
    &[
        ProblemKind::JsonCurlyQuote,
        ProblemKind::JsonSingleQuote,
        ProblemKind::JsonUnquoted,
        ProblemKind::JsonInnerQuote,
    ],
    to_diagnostic,
);

fn to_diagnostic(problem: &Problem, source: &SourceFile) -> Diagnostic {
    let text = code(&problem.detail);
    match problem.kind {
        ProblemKind::JsonCurlyQuote => LINT
            .diagnostic_at(problem.span, format!("{text} has typographic quotation marks"))
            .with_help("write `\"`, as a plain text editor does")
            .fix_if(straight_quotes_fix(problem, source)),
        ProblemKind::JsonSingleQuote => LINT
            .diagnostic_at(problem.span, format!("{text} has single quotation marks"))
            .with_help("write `\"` instead of `'`")
            .fix_if(straight_quotes_fix(problem, source)),
        ProblemKind::JsonInnerQuote => {
            LINT.diagnostic_at(problem.span, "a quotation mark inside a string").with_help("write `\\\"`")
        }
        _ => unquoted_diagnostic(problem),
    }
}

fn unquoted_diagnostic(problem: &Problem) -> Diagnostic {
    let text = problem.detail.as_str();
    if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        let message = format!("{} is neither a number nor in quotation marks", code(text));
        let number = Quantity::parse(text).ok().and_then(|quantity| quantity.to_integer());
        return match number {
            Some(number) => LINT
                .diagnostic_at(problem.span, message)
                .with_help(format!("write the number itself: `{number}`"))
                .fix_if(number_itself(problem, &number.to_string())),
            None => LINT.diagnostic_at(problem.span, message).with_help("write a number"),
        };
    }
    LINT.diagnostic_at(problem.span, format!("{} has no quotation marks", code(text)))
        .with_help(format!("write {}", code(&format!("\"{text}\""))))
        .fix_if(quote_fix(problem))
}

/// Not safe, because in a list of values the number differs from the text as it is written.
fn number_itself(problem: &Problem, number: &str) -> Option<Fix> {
    let replacement = problem.notation.escape_json(number)?;
    let title = format!("write `{number}`, which is a number, not a string");
    Some(Fix::not_safe(title, [Edit { span: problem.span, replacement }]))
}

fn quote_fix(problem: &Problem) -> Option<Fix> {
    let mark = problem.notation.escape_json("\"")?;
    let edits = [Edit::insert_at(problem.span, mark.clone()), Edit::insert_at(problem.span.at_end(), mark)];
    Some(Fix::safe_fix("put it in quotation marks", edits))
}

/// Straight marks in place of the outer two. Those inside that would then end the string get a backslash.
fn straight_quotes_fix(problem: &Problem, source: &SourceFile) -> Option<Fix> {
    let mark = problem.notation.escape_json("\"")?;
    let (shown, text) = (source.span_text(problem.span), problem.detail.as_str());
    let mut inner = text.chars();
    let (open, close) = (inner.next()?, inner.next_back()?);
    let written =
        |c: char| problem.notation.escape_json(&c.to_string()).and_then(|c| u32::try_from(c.len()).ok());
    let (open_len, close_len) = (written(open)?, written(close)?);
    let Span { start, end, .. } = problem.span;
    if start + open_len > end - close_len {
        return None;
    }
    let mut edits = Vec::new();
    if open != '"' {
        edits.push(Edit { span: Span { end: start + open_len, ..problem.span }, replacement: mark.clone() });
    }
    let bare = inner
        .as_str()
        .match_indices('"')
        .filter(|(at, _)| !inner.as_str().get(..*at).is_some_and(|before| before.ends_with('\\')));
    for (at, _) in bare {
        // If the text differs from the one in the file, its offsets do not apply to the file.
        let at = u32::try_from(at).ok().filter(|_| shown == text)? + start + open_len;
        edits.push(Edit::insert_at(Span { start: at, end: at, ..problem.span }, "\\"));
    }
    if close != '"' {
        edits.push(Edit { span: Span { start: end - close_len, ..problem.span }, replacement: mark });
    }
    Some(Fix::safe_fix("write straight quotation marks", edits))
}
