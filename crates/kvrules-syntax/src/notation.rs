//! In which notation a text is written, and how JSON is written where it lies in a scalar.

use crate::NodeStyle;

/// The notation of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// YAML.
    #[default]
    Yaml,
    /// JSON, in a file of its own or in a scalar of this style.
    Json(Option<NodeStyle>),
    /// JSON in a scalar, of which it is not known how its characters are written.
    Unclear,
}

impl Notation {
    /// JSON as it is written here: with the quotation marks and backslashes of the scalar around it. None if that
    /// is not known, or where the scalar cannot hold it.
    ///
    /// ```
    /// use kvrules_syntax::{Notation, NodeStyle};
    ///
    /// let inside = |style| Notation::Json(Some(style)).escape_json(r#""it's""#);
    /// assert_eq!(inside(NodeStyle::Literal).as_deref(), Some(r#""it's""#));
    /// assert_eq!(inside(NodeStyle::Double).as_deref(), Some(r#"\"it's\""#));
    /// assert_eq!(inside(NodeStyle::Single).as_deref(), Some(r#""it''s""#));
    /// ```
    pub fn escape_json(self, json: &str) -> Option<String> {
        match self {
            // A line break would need the indentation of its surroundings: see `edit`.
            _ if json.contains(['\n', '\r']) => None,
            Self::Json(None | Some(NodeStyle::Literal | NodeStyle::Folded)) => Some(json.to_owned()),
            Self::Json(Some(NodeStyle::Double)) => Some(json.replace('\\', "\\\\").replace('"', "\\\"")),
            Self::Json(Some(NodeStyle::Single)) => Some(json.replace('\'', "''")),
            // JSON in a plain scalar is a single word, and a quotation mark would make it a quoted scalar.
            Self::Json(Some(NodeStyle::Plain)) | Self::Yaml | Self::Unclear => None,
        }
    }

    /// True if line breaks and tabs are written as escapes here.
    pub(crate) fn escapes_blanks(self) -> bool {
        self == Self::Json(Some(NodeStyle::Double))
    }
}
