//! KC202 `forbidden_keyword`: a schema has a forbidden keyword.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC202",
    name: "forbidden_keyword",
    level: Level::Error,
    summary: "a schema has a forbidden keyword",
    fix: None,
};
