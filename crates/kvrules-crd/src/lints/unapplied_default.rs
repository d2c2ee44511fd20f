//! KC211 `unapplied_default`: defaults do not apply to objects without the object that they are in.

use kvrules_diagnostics::{Applicability, Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC211",
    name: "unapplied_default",
    level: Level::Info,
    summary: "defaults do not apply to objects without the field that they are in",
    fix: Some(Applicability::Unsafe),
};
