//! KX110 `shadowed_definition`: a built-in definition takes precedence over one of your own.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KX110",
    name: "shadowed_definition",
    level: Level::Warning,
    summary: "a built-in definition takes precedence over one of your own",
    fix: None,
    check: LintCheck::LaterStage,
};
