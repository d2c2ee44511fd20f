//! KV985 `invalid_default`: a default is not a value that its own schema allows.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV985",
    name: "invalid_default",
    level: Level::Error,
    summary: "a default is not a value that its own schema allows",
    fix: None,
    check: Check::Later,
};
