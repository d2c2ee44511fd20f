//! KX101 `definition_shape`: a document of extra specs has an invalid key or value.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX101",
    name: "definition_shape",
    level: Level::Error,
    summary: "a document of extra specs has an invalid key or value",
    fix: None,
};
