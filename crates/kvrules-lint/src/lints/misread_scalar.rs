//! KV998 `misread_scalar`: Kubernetes reads a word or a number without quotation marks otherwise than YAML 1.2 does.

use kvrules_diagnostics::{Applicability, Level};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV998",
    name: "misread_scalar",
    level: Level::Warning,
    summary: "Kubernetes reads a word or a number without quotation marks otherwise than YAML 1.2 does",
    fix: Some(Applicability::Safe),
    check: Check::Later,
};
