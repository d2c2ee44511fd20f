//! KS103 `unresolved_reference`: a reference has no target.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS103",
    name: "unresolved_reference",
    level: Level::Error,
    summary: "a reference has no target",
    fix: None,
};
