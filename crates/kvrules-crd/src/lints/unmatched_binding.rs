//! KP105 `unmatched_binding`: a binding does not fit the policies in the checked files.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KP105",
    name: "unmatched_binding",
    level: Level::Warning,
    summary: "a binding does not fit the policies in the checked files",
    fix: None,
};
