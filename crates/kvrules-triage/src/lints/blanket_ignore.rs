//! KV953 `blanket_ignore`: an ignore that does not say what it is for.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KV953",
    name: "blanket_ignore",
    level: Level::Warning,
    summary: "an ignore comment without codes has no effect",
    fix: None,
};
