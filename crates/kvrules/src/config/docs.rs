//! Configuration of `kvrules docs`.

use kvrules_docs::{AuthorNotation, FORMATS, Grouping};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of `kvrules docs`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DocsConfig {
    /// The format of the pages, or `json` for a single document for programs.
    #[schemars(with = "String", extend("enum" = formats()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The directory for the pages.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_dir: Option<String>,
    /// The directory for pages about extra specs.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_specs_dir: Option<String>,
    /// The address of a line of a rules file: `{file}` is replaced by the file, `{line}` by the line.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_link: Option<String>,
    /// Markup of messages and descriptions by authors: plain text, Markdown or reStructuredText.
    pub text: TextNotation,
    /// Rule sets that share a page: none, those whose names begin alike, or those of a file.
    #[schemars(with = "String", extend("enum" = Grouping::ALL.map(Grouping::as_str)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<String>,
}

/// Markup of messages and descriptions by authors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum TextNotation {
    /// Text without markup.
    #[default]
    Plain,
    /// Markdown.
    Markdown,
    /// reStructuredText.
    #[serde(rename = "restructuredtext")]
    ReStructuredText,
}

impl DocsConfig {
    /// Returns the markup of messages by authors.
    ///
    /// ```
    /// use kvrules::docs::AuthorNotation;
    /// use kvrules::{FileId, SourceFile, config};
    ///
    /// let file = SourceFile::new(FileId(0), "kvrules.toml", "[docs]\ntext = 'markdown'\n");
    /// let config = config::parse(&file, kvrules::all_targets()).unwrap().unwrap();
    /// assert!(matches!(config.docs.author_notation(), AuthorNotation::Markdown));
    /// ```
    pub fn author_notation(&self) -> AuthorNotation {
        match self.text {
            TextNotation::Plain => AuthorNotation::Plain,
            TextNotation::Markdown => AuthorNotation::Markdown,
            TextNotation::ReStructuredText => AuthorNotation::ReStructuredText,
        }
    }

    /// Returns the grouping of rule sets on pages; one page for each set if `group-by` is unset.
    ///
    /// ```
    /// use kvrules::config::DocsConfig;
    /// use kvrules::docs::Grouping;
    ///
    /// let grouped = |by: Option<&str>| DocsConfig { group_by: by.map(str::to_owned), ..DocsConfig::default() }.grouping();
    /// assert_eq!((grouped(Some("file")).as_str(), grouped(None).as_str()), (Grouping::File.as_str(), "set"));
    /// ```
    pub fn grouping(&self) -> Grouping {
        let named = |grouping: &Grouping| self.group_by.as_deref() == Some(grouping.as_str());
        Grouping::ALL.into_iter().find(named).unwrap_or_default()
    }
}

fn formats() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).chain(["json"]).collect()
}
