//! KP107 `condition_namespace`: a match condition reads `namespaceObject`, which it does not have.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP107",
    name: "condition_namespace",
    level: Level::Error,
    summary: "a match condition reads `namespaceObject`, which it does not have",
    fix: None,
};
