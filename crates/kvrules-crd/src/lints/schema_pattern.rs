//! KC204 `schema_pattern`: a pattern of a schema is not valid RE2.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC204",
    name: "schema_pattern",
    level: Level::Error,
    summary: "a pattern of a schema is not valid RE2",
    fix: None,
};
