//! KX110 `shadowed_definition`: a built-in definition takes precedence over one of your own.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX110",
    name: "shadowed_definition",
    level: Level::Warning,
    summary: "a built-in definition takes precedence over one of your own",
    fix: None,
};
