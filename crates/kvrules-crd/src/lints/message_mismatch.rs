//! KC312 `message_mismatch`: a message says another number or value than its rule.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC312",
    name: "message_mismatch",
    level: Level::Warning,
    summary: "a message says another number, value or order than its rule",
    fix: None,
};
