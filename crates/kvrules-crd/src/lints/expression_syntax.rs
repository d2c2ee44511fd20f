//! KC302 `expression_syntax`: an expression cannot be parsed.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC302",
    name: "expression_syntax",
    level: Level::Error,
    summary: "an expression cannot be parsed",
    fix: Some(Applicability::Safe),
};
