//! KV995 `runtime_cost`: a rule that the server takes may be cut off at a large object.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV995",
    name: "runtime_cost",
    level: Level::Info,
    summary: "a rule that the server takes may be cut off at a large object",
    fix: None,
    check: Check::Later,
};
