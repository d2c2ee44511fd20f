//! KC313 `contradictory_rules`: no object passes both of two rules of a place.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC313",
    name: "contradictory_rules",
    level: Level::Warning,
    summary: "no object passes both of two rules of a place",
    fix: None,
};
