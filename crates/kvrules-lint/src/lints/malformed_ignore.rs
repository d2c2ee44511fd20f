//! KV954 `malformed_ignore`: something that is meant as an ignore and is none.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV954",
    name: "malformed_ignore",
    level: Level::Warning,
    summary: "an ignore is not written as ignores are, and so ignores nothing",
    fix: None,
    check: Check::Later,
};
