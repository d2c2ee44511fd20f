//! KC309 `unknown_enum_value`: a rule compares a field with a value that its `enum` does not have.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC309",
    name: "unknown_enum_value",
    level: Level::Warning,
    summary: "a rule compares a field with a value that its `enum` does not have",
    fix: None,
};
