//! KV984 `schema_pattern`: a pattern of a schema is not valid RE2.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV984",
    name: "schema_pattern",
    level: Level::Error,
    summary: "a pattern of a schema is not valid RE2",
    fix: None,
    check: Check::Later,
};
