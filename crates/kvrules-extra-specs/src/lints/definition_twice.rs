//! KX105 `definition_twice`: an extra spec has a duplicate definition.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX105",
    name: "definition_twice",
    level: Level::Error,
    summary: "an extra spec has a duplicate definition",
    fix: None,
};
