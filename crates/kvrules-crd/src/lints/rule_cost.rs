//! KC304 `rule_cost`: the estimated cost of a rule, or of all rules, exceeds the limit of the server.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC304",
    name: "rule_cost",
    level: Level::Error,
    summary: "the estimated cost of a rule, or of all rules, exceeds the limit of the server",
    fix: Some(Applicability::Safe),
};
