//! KP103 `optional_variable`: a variable of a policy is an optional.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KP103",
    name: "optional_variable",
    level: Level::Warning,
    summary: "a variable of a policy is an optional",
    fix: None,
    check: LintCheck::LaterStage,
};
