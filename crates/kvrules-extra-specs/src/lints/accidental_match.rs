//! KX204 `accidental_match`: a key matches a definition only by an apparent slip.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX204",
    name: "accidental_match",
    level: Level::Warning,
    summary: "a key matches a definition only by an apparent slip",
    fix: None,
};
