//! The formats in which findings are shown, one file each.
//!
//! A format is a function from findings and the texts they point into to one string; nothing here prints. What
//! several formats need is below them: where a span is as people count it (`source_location`), how text that may
//! hold anything becomes one harmless line (`escape`), and which lines to quote (`excerpt`, `cut`).
//!
//! ```
//! use kvrules_diagnostics::render::{RenderFormat, RenderOptions, render_diagnostics};
//! use kvrules_diagnostics::{Level, Lint, Sources, Span};
//!
//! let mut sources = Sources::default();
//! let file = sources.add_file("vm.yaml", "a: 1\nb: two\n");
//! static LINT: Lint =
//!     Lint { code: "KV102", name: "missing_key", level: Level::Error, summary: "a missing key", fix: None };
//! let finding = LINT.diagnostic_at(Span::new(file, 8, 11), "no number");
//! let text = render_diagnostics(RenderFormat::Concise, &[finding], &sources, &RenderOptions::default());
//! assert_eq!(text, "vm.yaml:2:4: error[KV102] no number\n");
//! ```

mod concise;
mod cut;
mod escape;
mod excerpt;
mod github;
mod gitlab;
mod human;
mod json;
mod jsonl;
mod junit;
mod page_address;
mod sarif;
mod source_location;
pub mod xml;

pub use escape::{escape_line as one_line, json_text, laid_out, needs_escape};
pub use page_address::{check_page_url, lint_page_address};

use crate::{Diagnostic, Level, Sources};

/// A way to show findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RenderFormat {
    /// For a person at a terminal: the source quoted, with carets under the place.
    #[default]
    Human,
    /// One line a finding, as editors and `grep` like it.
    Concise,
    /// One JSON array.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// A SARIF 2.1.0 log, which code-scanning services read.
    Sarif,
    /// Workflow commands, which GitHub Actions turns into annotations.
    Github,
    /// A report of code quality, which GitLab shows on merge requests.
    Gitlab,
    /// Test suites and test cases in XML, which most services for continuous integration read.
    Junit,
}

impl RenderFormat {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 8] = [
        Self::Human,
        Self::Concise,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
    ];

    /// The word users write for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
        }
    }

    /// The format with this name.
    ///
    /// ```
    /// use kvrules_diagnostics::render::RenderFormat;
    /// assert_eq!(RenderFormat::from_name("sarif"), Some(RenderFormat::Sarif));
    /// assert_eq!(RenderFormat::from_name("SARIF"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Options of the output; each format takes what concerns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// True if the human format uses terminal colours.
    pub color: bool,
    /// The version that SARIF names next to the tool; left out when empty.
    pub tool_version: String,
    /// Columns that quoted source may take; 140 unless set.
    pub width: Option<usize>,
    /// Meanings of the codes, a sentence each, for SARIF to describe; a code that is not listed is described by its name.
    pub summaries: Vec<(&'static str, &'static str)>,
    /// Address of the pages of lints, for SARIF and links in terminals: `{page}` is replaced by the name of a page, `{code}` by a
    /// code; without either, the name is appended. Codes without a summary have no page.
    pub page_url: Option<String>,
    /// True if codes in the human format are links, as terminals show them.
    pub links_codes: bool,
    /// The worst level that JUnit counts as passed; `warning` unless set, and `None` where every finding fails.
    pub passing: Option<Level>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            color: false,
            tool_version: String::new(),
            width: None,
            summaries: Vec::new(),
            page_url: None,
            links_codes: false,
            passing: Some(Level::Warning),
        }
    }
}

/// Shows `diagnostics`, in the order given, in one format.
///
/// The same input gives the same bytes, and anything but the empty string ends with a line break. Spans that fit
/// no text are not a reason to fail: one past the end is at the end, and a finding in a file that `sources`
/// lacks is reported without its place.
pub fn render_diagnostics(
    format: RenderFormat,
    diagnostics: &[Diagnostic],
    sources: &Sources,
    options: &RenderOptions,
) -> String {
    match format {
        RenderFormat::Human => human::render_human(diagnostics, sources, options),
        RenderFormat::Concise => concise::render_concise(diagnostics, sources),
        RenderFormat::Json => json::render_json(diagnostics, sources),
        RenderFormat::Jsonl => jsonl::render_jsonl(diagnostics, sources),
        RenderFormat::Sarif => sarif::render_sarif(diagnostics, sources, options),
        RenderFormat::Github => github::render_github(diagnostics, sources),
        RenderFormat::Gitlab => gitlab::render_gitlab(diagnostics, sources),
        RenderFormat::Junit => junit::render_junit(diagnostics, sources, options),
    }
}

/// A JSON document as people read it, ending with a line break.
fn pretty_json(document: &impl serde::Serialize) -> String {
    // Our documents have string keys and no foreign serialisers, so writing them cannot fail.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    escape::json_text(&text).into_owned()
}
