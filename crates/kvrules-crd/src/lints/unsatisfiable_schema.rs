//! KC208 `unsatisfiable_schema`: no value satisfies a schema, though the server accepts it.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC208",
    name: "unsatisfiable_schema",
    level: Level::Warning,
    summary: "no value satisfies a schema, though the server accepts it",
    fix: None,
};
