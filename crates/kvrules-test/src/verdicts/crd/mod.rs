//! Answers of an API server about objects of CustomResourceDefinitions.

mod definitions;
mod evaluate_objects;
mod stored;

use kvrules_diagnostics::Position;
use serde::Serialize;
use serde_json::Value;

pub use definitions::Definitions;
pub(super) use evaluate_objects::{evaluate_objects, to_crd_answer};
pub use stored::StoredObjects;

/// Target of the writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteTarget {
    /// The resource itself: a create, or an update of a stored object.
    #[default]
    Object,
    /// The subresource `status` of a stored object.
    Status,
}

/// Answer of the server about an object.
#[derive(Clone, Debug, Serialize)]
pub struct CrdAnswer {
    /// All in all.
    pub verdict: CrdVerdict,
    /// `create`, or `update` of a stored object.
    pub operation: &'static str,
    /// The subresource that is written, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<&'static str>,
    /// Errors of a rejection, by field.
    pub errors: Vec<CrdError>,
    /// Warnings of the server.
    pub warnings: Vec<String>,
    /// Cost of the rules; `None` if the server does not reach them.
    #[serde(rename = "celCost")]
    pub cost: Option<u64>,
    /// The object as it would be stored, in a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Value>,
}

/// Verdict of the server on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CrdVerdict {
    /// The server accepts it.
    Accepted,
    /// The server rejects it.
    Rejected,
}

/// One reason why an object is rejected.
#[derive(Clone, Debug, Serialize)]
pub struct CrdError {
    /// The kind, as the API names causes: `FieldValueInvalid`, `FieldValueRequired` and others.
    #[serde(rename = "type")]
    pub kind: String,
    /// The field, as the server writes it; `<nil>` where it names none.
    pub field: String,
    /// The server's words.
    pub detail: String,
    /// The whole text: field, kind, value and words.
    pub text: String,
    /// Location of the value in the text of the object, or of the nearest one that is there.
    #[serde(flatten)]
    pub at: ObjectLocation,
}

/// A place in the text of an object.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ObjectLocation {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl CrdVerdict {
    /// Returns its name for users.
    ///
    /// ```
    /// assert_eq!(kvrules::eval::CrdVerdict::Accepted.as_str(), "accepted");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

impl From<Position> for ObjectLocation {
    fn from(position: Position) -> Self {
        Self { line: position.line, column: position.column }
    }
}
