//! KC201 `not_structural`: the schema of a definition is not structural.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KC201",
    name: "not_structural",
    level: Level::Error,
    summary: "the schema of a definition is not structural",
    fix: None,
    check: LintCheck::LaterStage,
};
