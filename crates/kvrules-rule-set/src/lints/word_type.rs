//! KR104 `word_type`: a word does not fit the type of the value at its path.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KR104",
    name: "word_type",
    level: Level::Error,
    summary: "a word does not fit the type of the value at its path",
    fix: None,
};
