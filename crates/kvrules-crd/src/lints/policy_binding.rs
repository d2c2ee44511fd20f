//! KP102 `policy_binding`: the server rejects the binding of an admission policy.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP102",
    name: "policy_binding",
    level: Level::Error,
    summary: "the server rejects the binding of an admission policy",
    fix: None,
};
