//! KC311 `keyword_rule`: a rule says the same as a keyword of the schema.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC311",
    name: "keyword_rule",
    level: Level::Info,
    summary: "a rule says the same as a keyword of the schema",
    fix: Some(Applicability::Unsafe),
};
