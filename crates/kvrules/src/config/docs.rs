//! Configuration of `kvrules docs`.

use kvrules_docs::{FORMATS, Grouping, Notation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How pages about rules are made.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DocsConfig {
    /// The format of the pages, or `json` for one document for programs.
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
    /// The address at which a line of a rules file can be looked at: `{file}` stands for the file, `{line}` for the line.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_link: Option<String>,
    /// How authors write messages and descriptions: as plain words, as Markdown, or as reStructuredText.
    pub text: TextNotation,
    /// Which rule sets share a page: each has its own, or those whose names begin alike, or those of a file.
    #[schemars(with = "String", extend("enum" = Grouping::ALL.map(Grouping::as_str)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<String>,
}

/// How authors write messages and descriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum TextNotation {
    /// As words without markup.
    #[default]
    Plain,
    /// As Markdown.
    Markdown,
    /// As reStructuredText.
    #[serde(rename = "restructuredtext")]
    ReStructuredText,
}

impl DocsConfig {
    /// Returns the markup of messages by authors.
    pub fn notation(&self) -> Notation {
        match self.text {
            TextNotation::Plain => Notation::Plain,
            TextNotation::Markdown => Notation::Markdown,
            TextNotation::ReStructuredText => Notation::ReStructuredText,
        }
    }

    /// Returns the grouping of rule sets on pages.
    pub fn grouping(&self) -> Grouping {
        let named = |grouping: &Grouping| self.group_by.as_deref() == Some(grouping.as_str());
        Grouping::ALL.into_iter().find(named).unwrap_or_default()
    }
}

fn formats() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).chain(["json"]).collect()
}
