//! KC103 `kubernetes_update`: the server rejects the update of a stored definition or policy.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC103",
    name: "kubernetes_update",
    level: Level::Error,
    summary: "an update changes an immutable field of a stored definition or policy",
    fix: None,
};
