//! KC212 `unconverted_field`: a field of a served version is lost when the object is stored.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC212",
    name: "unconverted_field",
    level: Level::Warning,
    summary: "a field of a served version is lost when an object is stored",
    fix: None,
};
