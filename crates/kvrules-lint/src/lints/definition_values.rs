//! KX106 `definition_values`: an extra spec allows no value.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KX106",
    name: "definition_values",
    level: Level::Error,
    summary: "an extra spec allows no value",
    fix: None,
    check: LintCheck::LaterStage,
};
