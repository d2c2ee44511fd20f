//! KC307 `failing_rule`: a rule ends in an error for objects that the schema accepts.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC307",
    name: "failing_rule",
    level: Level::Warning,
    summary: "a rule ends in an error for objects that the schema accepts",
    fix: Some(Applicability::Unsafe),
};
