//! KS110 `external_reference`: a reference to another document is not followed.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS110",
    name: "external_reference",
    level: Level::Info,
    summary: "a reference to another document is not followed",
    fix: None,
};
