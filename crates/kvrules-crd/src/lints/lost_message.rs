//! KC306 `lost_message`: a rule has a message that is never shown.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KC306",
    name: "lost_message",
    level: Level::Warning,
    summary: "a rule has a message that is never shown",
    fix: None,
};
