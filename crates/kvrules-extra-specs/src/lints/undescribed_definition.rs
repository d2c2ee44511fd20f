//! KX109 `undescribed_definition`: an extra spec has no description.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX109",
    name: "undescribed_definition",
    level: Level::Warning,
    summary: "an extra spec has no description",
    fix: None,
};
