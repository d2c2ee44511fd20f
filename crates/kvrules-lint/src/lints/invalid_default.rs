//! KC205 `invalid_default`: a default violates its own schema.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KC205",
    name: "invalid_default",
    level: Level::Error,
    summary: "a default violates its own schema",
    fix: None,
    check: LintCheck::LaterStage,
};
