//! KX207 `flavor_shape`: a flavor file has an entry that is not an extra spec.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX207",
    name: "flavor_shape",
    level: Level::Error,
    summary: "a flavor file has an entry that is not an extra spec",
    fix: None,
};
