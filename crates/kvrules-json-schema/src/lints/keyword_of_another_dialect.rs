//! KS107 `keyword_of_another_dialect`: the dialect of a schema does not define a keyword.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS107",
    name: "keyword_of_another_dialect",
    level: Level::Warning,
    summary: "the dialect of a schema does not define a keyword",
    fix: None,
};
