//! KC303 `expression_type`: an expression uses undefined names or incompatible types.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KC303",
    name: "expression_type",
    level: Level::Error,
    summary: "an expression uses undefined names or incompatible types",
    fix: None,
    check: LintCheck::LaterStage,
};
