//! KC208 `unsatisfiable_schema`: no value satisfies a schema, though the server accepts it.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KC208",
    name: "unsatisfiable_schema",
    level: Level::Warning,
    summary: "no value satisfies a schema, though the server accepts it",
    fix: None,
    check: LintCheck::LaterStage,
};
