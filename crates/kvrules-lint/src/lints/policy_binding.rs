//! KP102 `policy_binding`: the server rejects the binding of an admission policy.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KP102",
    name: "policy_binding",
    level: Level::Error,
    summary: "the server rejects the binding of an admission policy",
    fix: None,
    check: LintCheck::LaterStage,
};
