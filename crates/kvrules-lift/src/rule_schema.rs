//! The schema of the values of a rule, which need not be a copy.

use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value as Json;

/// The schema of the values that a rule is about. It is read as the value that it is.
///
/// ```
/// use kvrules_lift::ValuesSchema;
/// use serde_json::json;
///
/// let schema = json!({"type": "integer"});
/// assert_eq!(ValuesSchema::Borrowed(&schema), ValuesSchema::from(schema.clone()));
/// ```
#[derive(Clone, Debug)]
pub enum ValuesSchema<'s> {
    /// A schema that rules have together.
    Shared(Arc<Json>),
    /// A part of the schema of an object.
    Borrowed(&'s Json),
}

impl ValuesSchema<'_> {
    /// Returns the schema without what it was borrowed from.
    pub fn into_shared(self) -> Arc<Json> {
        match self {
            Self::Shared(schema) => schema,
            Self::Borrowed(schema) => Arc::new(schema.clone()),
        }
    }
}

impl Default for ValuesSchema<'_> {
    fn default() -> Self {
        Self::Borrowed(&Json::Null)
    }
}

impl Deref for ValuesSchema<'_> {
    type Target = Json;

    fn deref(&self) -> &Json {
        match self {
            Self::Shared(schema) => schema,
            Self::Borrowed(schema) => schema,
        }
    }
}

impl From<Arc<Json>> for ValuesSchema<'_> {
    fn from(schema: Arc<Json>) -> Self {
        Self::Shared(schema)
    }
}

impl From<Json> for ValuesSchema<'_> {
    fn from(schema: Json) -> Self {
        Self::Shared(Arc::new(schema))
    }
}

impl PartialEq for ValuesSchema<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
