//! KV974 `accidental_match`: a key fits a definition only by what looks like a slip.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV974",
    name: "accidental_match",
    level: Level::Warning,
    summary: "a key fits a definition only by what looks like a slip",
    fix: None,
    check: Check::Later,
};
