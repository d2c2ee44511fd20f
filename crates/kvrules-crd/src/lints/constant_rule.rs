//! KC308 `constant_rule`: a rule is true for every object, or for none.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC308",
    name: "constant_rule",
    level: Level::Warning,
    summary: "a rule is true for every object, or for none",
    fix: None,
};
