//! KR203 `choice_outside_enum`: a rule names a value that the schema never accepts.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR203",
    name: "choice_outside_enum",
    level: Level::Warning,
    summary: "a rule names a value that the schema never accepts",
    fix: Some(Applicability::Unsafe),
};
