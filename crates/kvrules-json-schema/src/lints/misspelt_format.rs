//! KS113 `misspelt_format`: a format is unknown and similar to a known one.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS113",
    name: "misspelt_format",
    level: Level::Warning,
    summary: "a format is unknown and similar to a known one",
    fix: None,
};
