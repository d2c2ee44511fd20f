//! KC101 `kubernetes_shape`: the server cannot read a definition or a policy, or not this version of it.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC101",
    name: "kubernetes_shape",
    level: Level::Error,
    summary: "the server cannot read a definition or a policy, or not this version of it",
    fix: None,
};
