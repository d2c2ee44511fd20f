//! KS104 `reference_cycle`: a schema refers to itself without end.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS104",
    name: "reference_cycle",
    level: Level::Error,
    summary: "a schema refers to itself without end",
    fix: None,
};
