//! KX202 `unknown_extra_spec`: a flavor has an unknown key of a known namespace.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX202",
    name: "unknown_extra_spec",
    level: Level::Error,
    summary: "a flavor has an unknown key of a known namespace",
    fix: None,
};
