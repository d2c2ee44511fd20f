//! KC102 `object_metadata`: the server rejects the metadata of a definition, a policy or a binding.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC102",
    name: "object_metadata",
    level: Level::Error,
    summary: "the server rejects the metadata of a definition, a policy or a binding",
    fix: None,
};
