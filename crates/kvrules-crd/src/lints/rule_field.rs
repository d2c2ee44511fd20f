//! KC301 `rule_field`: a rule lacks its expression, or its message, reason or path cannot be used.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC301",
    name: "rule_field",
    level: Level::Error,
    summary: "a rule lacks its expression, or its message, reason or path cannot be used",
    fix: None,
};
