//! KC205 `invalid_default`: a default violates its own schema.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC205",
    name: "invalid_default",
    level: Level::Error,
    summary: "a default violates its own schema",
    fix: None,
};
