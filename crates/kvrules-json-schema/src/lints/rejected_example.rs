//! KS109 `rejected_example`: a schema rejects its own default or example.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS109",
    name: "rejected_example",
    level: Level::Warning,
    summary: "a schema rejects its own default or example",
    fix: None,
};
