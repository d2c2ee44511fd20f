//! KC201 `not_structural`: the schema of a definition is not structural.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC201",
    name: "not_structural",
    level: Level::Error,
    summary: "the schema of a definition is not structural",
    fix: None,
};
