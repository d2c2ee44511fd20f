//! KV977 `flavor_shape`: a file of flavors has something that is no extra spec.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV977",
    name: "flavor_shape",
    level: Level::Error,
    summary: "a file of flavors has something that is no extra spec",
    fix: None,
    check: Check::Later,
};
