//! KR102 `unknown_subject`: the subject of a RuleSet is not a known kind.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR102",
    name: "unknown_subject",
    level: Level::Error,
    summary: "the subject of a RuleSet is not a known kind",
    fix: None,
};
