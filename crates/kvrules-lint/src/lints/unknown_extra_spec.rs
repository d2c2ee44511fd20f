//! KV972 `unknown_extra_spec`: a flavor has a key that its namespace does not have.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV972",
    name: "unknown_extra_spec",
    level: Level::Error,
    summary: "a flavor has a key that its namespace does not have",
    fix: None,
    check: Check::Later,
};
