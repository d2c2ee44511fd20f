//! KV952 `unknown_ignore`: an ignore for a lint that does not exist.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KV952",
    name: "unknown_ignore",
    level: Level::Warning,
    summary: "an ignore names a lint that does not exist",
    fix: None,
};
