//! KC305 `runtime_cost`: a rule that the server accepts may exceed the runtime cost limit.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC305",
    name: "runtime_cost",
    level: Level::Info,
    summary: "a rule that the server accepts may exceed the runtime cost limit",
    fix: None,
};
