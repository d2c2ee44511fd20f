//! KX205 `deprecated_extra_spec`: a flavor uses a deprecated extra spec.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX205",
    name: "deprecated_extra_spec",
    level: Level::Warning,
    summary: "a flavor uses a deprecated extra spec",
    fix: None,
};
