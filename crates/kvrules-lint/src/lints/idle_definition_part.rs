//! KX111 `idle_definition_part`: a parameter or a value of an extra spec has no effect.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KX111",
    name: "idle_definition_part",
    level: Level::Warning,
    summary: "a parameter or a value of an extra spec has no effect",
    fix: None,
    check: LintCheck::LaterStage,
};
