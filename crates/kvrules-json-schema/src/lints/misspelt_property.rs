//! KS112 `misspelt_property`: a required property is undeclared and similar to a declared one.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS112",
    name: "misspelt_property",
    level: Level::Warning,
    summary: "a required property is undeclared and similar to a declared one",
    fix: None,
};
