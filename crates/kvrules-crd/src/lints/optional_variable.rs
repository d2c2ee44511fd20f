//! KP103 `optional_variable`: a variable of a policy is an optional.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP103",
    name: "optional_variable",
    level: Level::Warning,
    summary: "a variable of a policy is an optional",
    fix: None,
};
