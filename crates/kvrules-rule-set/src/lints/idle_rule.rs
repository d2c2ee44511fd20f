//! KR202 `idle_rule`: a rule that every object passes.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR202",
    name: "idle_rule",
    level: Level::Warning,
    summary: "a rule that every object passes",
    fix: None,
};
