//! Facts on pages, in a form that knows no format.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact_picture::FactPicture;
use super::text::{Source, Text};
use crate::prose::{Prose, text_code};

/// A fact on a page: a label and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fact {
    /// The name of its kind, such as `type` or `limits`.
    pub kind: String,
    /// The label for readers.
    pub label: Text,
    /// Level of a fact that readers should notice before any other; unset for other facts.
    pub notice: Option<NoticeLevel>,
    /// The value.
    pub value: FactValue,
}

/// Level of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoticeLevel {
    /// It should be used with care.
    Note,
    /// It should not be used.
    Warning,
}

impl NoticeLevel {
    /// Returns its name for templates and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FactValue {
    /// Running text.
    Line(Vec<Piece>),
    /// A list of running texts.
    List(Vec<Vec<Piece>>),
    /// A block of code.
    Code(String),
}

/// A piece of the value of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Words of kvrules that no format needs to escape. Instead of a line break there may be a space.
    Words(FixedWords),
    /// Text that is prepared for every format. Text of an author may have several blocks, and is then the last piece.
    Text(Text),
    /// Code, with invisible characters escaped.
    Code(String),
    /// A link; its text alone without an address.
    Link {
        /// The text.
        text: String,
        /// The address.
        url: Option<String>,
    },
    /// A link to another description, if there is one; otherwise its name as code.
    Reference(Reference),
    /// One of the names that a page describes, to which others can refer.
    Target {
        /// The name.
        name: String,
        /// Its anchor, unique on its page.
        anchor: String,
    },
    /// A picture of what the line says, which formats without pictures leave out.
    Picture(FactPicture),
}

/// Words of the program, which no format needs to escape: only literals become such words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FixedWords(Cow<'static, str>);

impl FixedWords {
    /// Joins words.
    pub fn from_parts(parts: &[&'static str]) -> Self {
        Self(parts.concat().into())
    }

    /// Returns the words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for FixedWords {
    fn from(words: &'static str) -> Self {
        Self(words.into())
    }
}

/// A reference to something that pages describe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reference {
    /// Kind of its target.
    pub to: ReferenceTarget,
    /// Name of its target as it is written.
    pub name: String,
    /// The page that describes the target, without extension; empty if it is the same page, unset if none does.
    pub page: Option<String>,
    /// The anchor of the target there.
    pub anchor: Option<String>,
    /// The label of the target.
    pub label: Option<String>,
}

/// Kind of the target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceTarget {
    /// A field that rules check.
    Field,
    /// A part of the page of a resource, or such a page.
    Resource,
    /// An extra spec.
    ExtraSpec,
}

impl Fact {
    /// A fact of running text. Who collects facts sets its kind.
    pub fn of_line(label: &str, line: Vec<Piece>) -> Self {
        Self::of_value(&label.into(), FactValue::Line(line))
    }

    /// A fact of a single text.
    pub fn of_text(label: &str, text: &Text) -> Self {
        Self::of_line(label, vec![Piece::Text(text.clone())])
    }

    /// A fact with a value.
    pub fn of_value(label: &Prose, value: FactValue) -> Self {
        Self { kind: String::new(), label: Text::from_prose(label), notice: None, value }
    }

    /// True if the value is a picture alone, which formats without pictures leave out.
    pub fn is_picture(&self) -> bool {
        let FactValue::Line(line) = &self.value else { return false };
        !line.is_empty() && line.iter().all(|piece| matches!(piece, Piece::Picture(_)))
    }

    /// The same as a notice.
    #[must_use]
    pub fn with_notice(self, notice: Option<NoticeLevel>) -> Self {
        Self { notice, ..self }
    }
}

impl Piece {
    /// Running text, with what formats need escaped. Blanks at its ends are lost.
    pub fn of_text(text: impl Into<Prose>) -> Self {
        Self::Text(Text::from_prose(&text.into()))
    }

    /// A value as code, quoted if it would be ambiguous.
    pub fn of_code(value: &str) -> Self {
        Self::Code(text_code(value))
    }

    /// A field of the object.
    pub fn of_field(path: &str) -> Self {
        Self::Reference(Reference {
            to: ReferenceTarget::Field,
            name: path.to_owned(),
            page: None,
            anchor: None,
            label: None,
        })
    }

    /// A location in a file.
    pub fn of_source(source: &Source) -> Self {
        let text = format!("{}, line {}", source.file, source.line);
        Self::Link { text, url: source.link.clone() }
    }

    /// A colon and a text.
    pub fn explained_by(text: Option<&Text>) -> Vec<Self> {
        text.map(|text| vec![Self::Words(": ".into()), Self::Text(text.clone())]).unwrap_or_default()
    }

    /// Parts with words of kvrules between them.
    pub fn join_with(parts: impl Iterator<Item = Vec<Self>>, between: &'static str) -> Vec<Self> {
        let parts: Vec<Vec<Self>> = parts.collect();
        parts.join(&Self::Words(between.into()))
    }

    /// Values as code, with commas.
    pub fn of_codes(values: &[String]) -> Vec<Self> {
        Self::join_with(values.iter().map(|value| vec![Self::of_code(value)]), ", ")
    }
}
