//! KC310 `repeated_rule`: a rule is implied by another rule of the same place.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC310",
    name: "repeated_rule",
    level: Level::Warning,
    summary: "a rule is implied by another rule of the same place",
    fix: None,
};
