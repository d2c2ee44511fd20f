//! KS102 `invalid_schema_pattern`: a pattern of a schema is not a regular expression.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS102",
    name: "invalid_schema_pattern",
    level: Level::Error,
    summary: "a pattern of a schema is not a regular expression",
    fix: None,
};
