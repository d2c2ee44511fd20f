//! KC210 `misread_scalar`: Kubernetes reads an unquoted word or number differently from YAML 1.2.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC210",
    name: "misread_scalar",
    level: Level::Warning,
    summary: "Kubernetes reads an unquoted word or number differently from YAML 1.2",
    fix: Some(Applicability::Safe),
};
