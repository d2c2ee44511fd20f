//! KP101 `admission_policy`: the server rejects an admission policy.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KP101",
    name: "admission_policy",
    level: Level::Error,
    summary: "the server rejects an admission policy",
    fix: None,
    check: LintCheck::LaterStage,
};
