//! KX103 `definition_pattern`: a pattern of an extra spec cannot be compiled.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX103",
    name: "definition_pattern",
    level: Level::Error,
    summary: "a pattern of an extra spec cannot be compiled",
    fix: None,
};
