//! KV965 `definition_values`: an extra spec allows no value, or lists values without effect.

use kvrules_diagnostics::Level;

use crate::{Lint, LintCheck};

pub(crate) static LINT: Lint = Lint {
    code: "KV965",
    name: "definition_values",
    level: Level::Error,
    summary: "an extra spec allows no value, or lists values without effect",
    fix: None,
    check: LintCheck::LaterStage,
};
