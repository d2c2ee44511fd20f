//! KR201 `example_verdict`: an example of a RuleSet has another verdict than expected.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR201",
    name: "example_verdict",
    level: Level::Error,
    summary: "an example of a RuleSet has another verdict than expected",
    fix: None,
};
