//! KX104 `definition_parameter`: the name of an extra spec and its parameters do not match.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX104",
    name: "definition_parameter",
    level: Level::Error,
    summary: "the name of an extra spec and its parameters do not match",
    fix: None,
};
