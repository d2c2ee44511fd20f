//! KS108 `ineffective_keyword`: a keyword of a schema has no effect.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS108",
    name: "ineffective_keyword",
    level: Level::Warning,
    summary: "a keyword of a schema has no effect",
    fix: None,
};
