//! KS105 `contradictory_schema`: no value satisfies a schema.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS105",
    name: "contradictory_schema",
    level: Level::Error,
    summary: "no value satisfies a schema",
    fix: None,
};
