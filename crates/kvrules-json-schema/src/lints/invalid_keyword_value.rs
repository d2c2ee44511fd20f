//! KS101 `invalid_keyword_value`: a keyword of a schema has an invalid value.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS101",
    name: "invalid_keyword_value",
    level: Level::Error,
    summary: "a keyword of a schema has an invalid value",
    fix: None,
};
