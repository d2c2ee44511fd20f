//! KP101 `admission_policy`: the server rejects an admission policy.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP101",
    name: "admission_policy",
    level: Level::Error,
    summary: "the server rejects an admission policy",
    fix: None,
};
