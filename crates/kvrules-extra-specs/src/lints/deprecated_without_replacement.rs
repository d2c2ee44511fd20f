//! KX108 `deprecated_without_replacement`: a deprecated extra spec names no replacement.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX108",
    name: "deprecated_without_replacement",
    level: Level::Warning,
    summary: "a deprecated extra spec names no replacement",
    fix: None,
};
