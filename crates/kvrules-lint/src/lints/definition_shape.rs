//! KV960 `definition_shape`: a document of extra specs has a key or a value that it cannot have.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV960",
    name: "definition_shape",
    level: Level::Error,
    summary: "a document of extra specs has a key or a value that it cannot have",
    fix: None,
    check: Check::Later,
};
