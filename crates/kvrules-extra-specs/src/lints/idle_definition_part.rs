//! KX111 `idle_definition_part`: a parameter or a value of an extra spec has no effect.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX111",
    name: "idle_definition_part",
    level: Level::Warning,
    summary: "a parameter or a value of an extra spec has no effect",
    fix: None,
};
