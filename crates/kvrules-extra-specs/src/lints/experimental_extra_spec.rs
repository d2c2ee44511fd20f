//! KX208 `experimental_extra_spec`: a flavor uses an experimental extra spec.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX208",
    name: "experimental_extra_spec",
    level: Level::Info,
    summary: "a flavor uses an experimental extra spec",
    fix: None,
};
