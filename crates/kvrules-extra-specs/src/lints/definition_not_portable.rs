//! KX107 `definition_not_portable`: a pattern of an extra spec uses constructs that linear-time engines do not support.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX107",
    name: "definition_not_portable",
    level: Level::Warning,
    summary: "a pattern of an extra spec uses constructs that linear-time engines do not support",
    fix: None,
};
