//! KV011 `json_quotes`: quotation marks that are not JSON's, or that are missing.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile};
use kvrules_ir::quantity::Quantity;
use kvrules_syntax::{Problem, ProblemKind};

use crate::{Check, Lint, words::code};

pub(crate) static LINT: Lint = Lint {
    code: "KV011",
    name: "json_quotes",
    level: Level::Error,
    summary: "a string is not in straight double quotation marks",
    check: Check::Problem(
        &[
            ProblemKind::JsonCurlyQuote,
            ProblemKind::JsonSingleQuote,
            ProblemKind::JsonUnquoted,
            ProblemKind::JsonInnerQuote,
        ],
        word,
    ),
};

fn word(problem: &Problem, _: &SourceFile) -> Diagnostic {
    let text = code(&problem.detail);
    match problem.kind {
        ProblemKind::JsonCurlyQuote => LINT
            .at(problem.span, format!("{text} has typographic quotation marks"))
            .help("write `\"`, as a plain text editor does"),
        ProblemKind::JsonSingleQuote => LINT
            .at(problem.span, format!("{text} has single quotation marks"))
            .help("write `\"` instead of `'`"),
        ProblemKind::JsonInnerQuote => {
            LINT.at(problem.span, "a quotation mark inside a string").help("write `\\\"`")
        }
        _ => unquoted(problem),
    }
}

fn unquoted(problem: &Problem) -> Diagnostic {
    let text = problem.detail.as_str();
    if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        let message = format!("{} is neither a number nor in quotation marks", code(text));
        let meant = Quantity::parse(text).ok().and_then(|quantity| quantity.to_integer());
        return LINT.at(problem.span, message).help(match meant {
            Some(number) => format!("write the number itself: `{number}`"),
            None => "write a number".to_owned(),
        });
    }
    LINT.at(problem.span, format!("{} has no quotation marks", code(text)))
        .help(format!("write {}", code(&format!("\"{text}\""))))
}
