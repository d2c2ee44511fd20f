//! KX201 `extra_spec_value`: a flavor gives an extra spec an invalid value.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX201",
    name: "extra_spec_value",
    level: Level::Error,
    summary: "a flavor gives an extra spec an invalid value",
    fix: None,
};
