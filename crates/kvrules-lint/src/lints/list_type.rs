//! KV986 `list_type`: the type of a list or a map, or the keys of its items, do not fit.

use kvrules_diagnostics::Level;

use crate::{Check, Lint};

pub(crate) static LINT: Lint = Lint {
    code: "KV986",
    name: "list_type",
    level: Level::Error,
    summary: "the type of a list or a map, or the keys of its items, do not fit",
    fix: None,
    check: Check::Later,
};
