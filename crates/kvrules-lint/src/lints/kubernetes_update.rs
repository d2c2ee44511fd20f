//! KV979 `kubernetes_update`: the server rejects the update of a stored definition or policy.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV979",
    name: "kubernetes_update",
    level: Level::Error,
    summary: "the update of a stored definition or policy changes what may not change",
    fix: None,
    check: Check::Later,
};
