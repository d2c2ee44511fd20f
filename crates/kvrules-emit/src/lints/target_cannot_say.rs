//! KV920 `target_cannot_say`: a configured target that does not say a rule exactly. How bad it is, the configuration decides.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KV920",
    name: "target_cannot_say",
    level: Level::Warning,
    summary: "a configured target does not express a rule exactly",
    fix: None,
};
