//! KV951 `unused_ignore`: an ignore that no finding needs.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KV951",
    name: "unused_ignore",
    level: Level::Warning,
    summary: "an ignore comment is unused",
    fix: None,
};
