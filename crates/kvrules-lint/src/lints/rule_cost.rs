//! KV990 `rule_cost`: a rule, or all rules together, may cost more than the server allows.

use kvrules_diagnostics::{Applicability, Level};

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV990",
    name: "rule_cost",
    level: Level::Error,
    summary: "a rule, or all rules together, may cost more than the server allows",
    fix: Some(Applicability::Unsafe),
    check: Check::Later,
};
