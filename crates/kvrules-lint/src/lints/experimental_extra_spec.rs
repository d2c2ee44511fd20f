//! KX208 `experimental_extra_spec`: a flavor uses an experimental extra spec.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KX208",
    name: "experimental_extra_spec",
    level: Level::Info,
    summary: "a flavor uses an experimental extra spec",
    fix: None,
    check: LintCheck::LaterStage,
};
