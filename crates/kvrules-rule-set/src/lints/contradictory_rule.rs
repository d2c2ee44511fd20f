//! KR105 `contradictory_rule`: no value passes a rule.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR105",
    name: "contradictory_rule",
    level: Level::Error,
    summary: "no value passes a rule",
    fix: Some(Applicability::Unsafe),
};
