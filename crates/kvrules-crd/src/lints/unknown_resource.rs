//! KP104 `unknown_resource`: a policy names an API group, version, resource or kind that does not exist.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP104",
    name: "unknown_resource",
    level: Level::Warning,
    summary: "a policy names an API group, version, resource or kind that does not exist",
    fix: None,
};
