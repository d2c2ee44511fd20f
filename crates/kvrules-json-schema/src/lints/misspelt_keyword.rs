//! KS106 `misspelt_keyword`: a keyword is unknown and similar to a known one.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KS106",
    name: "misspelt_keyword",
    level: Level::Warning,
    summary: "a keyword is unknown and similar to a known one",
    fix: None,
};
