//! KC209 `type_beside_int_or_string`: a `type` next to `x-kubernetes-int-or-string` has no effect.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC209",
    name: "type_beside_int_or_string",
    level: Level::Warning,
    summary: "a `type` next to `x-kubernetes-int-or-string` has no effect",
    fix: Some(Applicability::Safe),
};
