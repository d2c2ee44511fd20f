//! KV975 `deprecated_extra_spec`: a flavor uses an extra spec that should not be used any more.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV975",
    name: "deprecated_extra_spec",
    level: Level::Warning,
    summary: "a flavor uses an extra spec that should not be used any more",
    fix: None,
    check: Check::Later,
};
