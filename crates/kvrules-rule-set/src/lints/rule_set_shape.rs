//! KR101 `rule_set_shape`: a RuleSet has an unknown key or word, or a value of the wrong form.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR101",
    name: "rule_set_shape",
    level: Level::Error,
    summary: "a RuleSet has an unknown key or word, or a value of the wrong form",
    fix: Some(Applicability::Unsafe),
};
