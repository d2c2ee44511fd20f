//! KP106 `policy_type`: an expression of a policy does not fit the types of what it is about.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP106",
    name: "policy_type",
    level: Level::Warning,
    summary: "an expression of a policy does not fit the types of its objects or parameters",
    fix: None,
};
