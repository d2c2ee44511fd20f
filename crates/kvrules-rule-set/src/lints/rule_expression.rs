//! KR106 `rule_expression`: a server rejects the expression of a rule.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR106",
    name: "rule_expression",
    level: Level::Error,
    summary: "a server rejects the expression of a rule",
    fix: None,
};
