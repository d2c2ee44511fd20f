//! KV989 `expression_type`: an expression uses what is not there, or types that do not go together.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV989",
    name: "expression_type",
    level: Level::Error,
    summary: "an expression uses what is not there, or types that do not go together",
    fix: None,
    check: Check::Later,
};
