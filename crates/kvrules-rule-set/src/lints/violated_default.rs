//! KR204 `violated_default`: a default of the definition that violates a rule.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR204",
    name: "violated_default",
    level: Level::Warning,
    summary: "a default of the definition that violates a rule",
    fix: None,
};
