//! KX106 `definition_values`: an extra spec allows no value.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX106",
    name: "definition_values",
    level: Level::Error,
    summary: "an extra spec allows no value",
    fix: None,
};
