//! KR107 `rule_update`: a rule about updates concerns items that a server does not match.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR107",
    name: "rule_update",
    level: Level::Error,
    summary: "a rule about updates concerns items that a server does not match",
    fix: None,
};
