//! KR103 `unknown_path`: a path of a rule does not lead to a field of the subject.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR103",
    name: "unknown_path",
    level: Level::Error,
    summary: "a path of a rule does not lead to a field of the subject",
    fix: Some(Applicability::Unsafe),
};
