//! KV954 `malformed_ignore`: something that is meant as an ignore and is none.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KV954",
    name: "malformed_ignore",
    level: Level::Warning,
    summary: "a malformed ignore comment has no effect",
    fix: None,
};
