//! KV965 `definition_values`: an extra spec can have no value, or lists values for nothing.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV965",
    name: "definition_values",
    level: Level::Error,
    summary: "an extra spec can have no value, or lists values for nothing",
    fix: None,
    check: Check::Later,
};
