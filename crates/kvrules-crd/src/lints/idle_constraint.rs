//! KC207 `idle_constraint`: a constraint of a schema never has an effect.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC207",
    name: "idle_constraint",
    level: Level::Warning,
    summary: "a constraint of a schema never has an effect",
    fix: None,
};
