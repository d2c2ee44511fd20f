//! KP104 `unknown_resource`: a rule of a policy names an unknown API group, or a resource that its group does not have.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP104",
    name: "unknown_resource",
    level: Level::Warning,
    summary: "a rule of a policy names an unknown API group, or a resource that its group does not have",
    fix: None,
};
