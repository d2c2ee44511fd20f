//! KC213 `removable_value`: a value that must not change can be removed and set again.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC213",
    name: "removable_value",
    level: Level::Info,
    summary: "a value that must not change can be removed and set again",
    fix: None,
};
