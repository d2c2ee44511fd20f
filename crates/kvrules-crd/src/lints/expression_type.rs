//! KC303 `expression_type`: an expression uses undefined names or incompatible types.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC303",
    name: "expression_type",
    level: Level::Error,
    summary: "an expression uses undefined names or incompatible types",
    fix: Some(Applicability::Safe),
};
