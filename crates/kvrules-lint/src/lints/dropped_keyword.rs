//! KV983 `dropped_keyword`: the server drops a keyword, a field or a format that it does not know.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV983",
    name: "dropped_keyword",
    level: Level::Warning,
    summary: "the server drops a keyword, a field or a format that it does not know",
    fix: None,
    check: Check::Later,
};
