//! KV976 `unusual_spelling`: a value is read as something that it does not look like.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV976",
    name: "unusual_spelling",
    level: Level::Info,
    summary: "a value is read as something that it does not look like",
    fix: None,
    check: Check::Later,
};
