//! KC203 `dropped_keyword`: the server drops an unknown keyword, field or format.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC203",
    name: "dropped_keyword",
    level: Level::Warning,
    summary: "the server drops an unknown keyword, field or format",
    fix: None,
};
