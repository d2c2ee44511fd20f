//! KX209 `image_property`: Nova ignores a property of an image.

use kvrules_diagnostics::{Level, Lint};

pub static LINT: Lint = Lint {
    code: "KX209",
    name: "image_property",
    level: Level::Warning,
    summary: "Nova ignores a property of an image",
    fix: None,
};
