//! Text and locations on pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Text in every format: what the author wrote is escaped in all except `plain`.
///
/// Text by kvrules is one line. Text by authors may be several blocks if the configuration declares it to be marked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Text {
    /// Without markup, code in backticks.
    pub plain: String,
    /// As Markdown.
    pub markdown: String,
    /// As reStructuredText.
    pub restructuredtext: String,
    /// As HTML.
    pub html: String,
}

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Source {
    /// The file, as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Its address, if `source-link` is configured.
    pub link: Option<String>,
}
