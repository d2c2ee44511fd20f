//! KX102 `definition_type`: an extra spec has an unknown value type.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX102",
    name: "definition_type",
    level: Level::Error,
    summary: "an extra spec has an unknown value type",
    fix: None,
};
