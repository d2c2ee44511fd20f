//! KC104 `kubernetes_version`: servers of the selected versions reject a definition that the newest accepts.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC104",
    name: "kubernetes_version",
    level: Level::Error,
    summary: "servers of the selected Kubernetes versions reject what the newest accepts",
    fix: None,
};
