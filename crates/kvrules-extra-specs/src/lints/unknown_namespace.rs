//! KX203 `unknown_namespace`: a flavor has a key of an unknown namespace.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX203",
    name: "unknown_namespace",
    level: Level::Error,
    summary: "a flavor has a key of an unknown namespace",
    fix: None,
};
