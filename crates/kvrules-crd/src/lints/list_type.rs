//! KC206 `list_type`: a list type, a map type or list-map keys are invalid.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC206",
    name: "list_type",
    level: Level::Error,
    summary: "a list type, a map type or list-map keys are invalid",
    fix: None,
};
