//! KS114 `overlapping_branches`: no value passes `oneOf` by one of its branches.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS114",
    name: "overlapping_branches",
    level: Level::Warning,
    summary: "no value passes `oneOf` by one of its branches",
    fix: None,
};
