//! KX301 `refused_namespace`: Glance rejects a namespace of metadata definitions.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX301",
    name: "refused_namespace",
    level: Level::Error,
    summary: "Glance rejects a namespace of metadata definitions",
    fix: None,
};
