//! KV964 `definition_twice`: an extra spec is defined twice.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV964",
    name: "definition_twice",
    level: Level::Error,
    summary: "an extra spec is defined twice",
    fix: None,
    check: Check::Later,
};
