//! KV973 `unknown_namespace`: a flavor has a key for which nothing is defined.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV973",
    name: "unknown_namespace",
    level: Level::Error,
    summary: "a flavor has a key for which nothing is defined",
    fix: None,
    check: Check::Later,
};
