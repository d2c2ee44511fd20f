//! KV971 `extra_spec_value`: a flavor gives an extra spec a value that it cannot have.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV971",
    name: "extra_spec_value",
    level: Level::Error,
    summary: "a flavor gives an extra spec a value that it cannot have",
    fix: None,
    check: Check::Later,
};
