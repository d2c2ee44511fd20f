//! KV993 `admission_policy`: the server rejects an admission policy.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV993",
    name: "admission_policy",
    level: Level::Error,
    summary: "the server rejects an admission policy",
    fix: None,
    check: Check::Later,
};
