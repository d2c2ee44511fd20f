//! KC105 `ignored_field`: servers of the selected versions ignore a field.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC105",
    name: "ignored_field",
    level: Level::Warning,
    summary: "servers of the selected Kubernetes versions ignore a field",
    fix: None,
};
