//! KS111 `unchecked_schema`: schemas are not checked.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS111",
    name: "unchecked_schema",
    level: Level::Error,
    summary: "schemas are not checked",
    fix: None,
};
