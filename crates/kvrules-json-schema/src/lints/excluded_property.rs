//! KS115 `excluded_property`: a declared property can never be present.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS115",
    name: "excluded_property",
    level: Level::Warning,
    summary: "a declared property can never be present",
    fix: None,
};
