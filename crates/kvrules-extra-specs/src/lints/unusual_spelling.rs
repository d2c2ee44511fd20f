//! KX206 `unusual_spelling`: a value is parsed differently from how it looks.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX206",
    name: "unusual_spelling",
    level: Level::Info,
    summary: "a value is parsed differently from how it looks",
    fix: None,
};
