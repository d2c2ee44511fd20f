//! KC106 `definition_patch`: a patch of a definition, of which only the types of fields are checked.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC106",
    name: "definition_patch",
    level: Level::Info,
    summary: "a patch of a definition, of which only the types of fields are checked",
    fix: None,
};
