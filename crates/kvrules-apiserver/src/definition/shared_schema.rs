//! The schema of a version, which need not be a copy of what its definition has.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde_json::Value as Json;

/// The schema of a version: a part of its definition, or a schema of its own. It is read as the value that it is.
///
/// ```
/// use kvrules_apiserver::definition::SharedSchema;
/// use serde_json::json;
///
/// let schema = SharedSchema::from(json!({"type": "object"}));
/// assert_eq!(schema["type"], "object");
/// assert_eq!(schema.to_value(), json!({"type": "object"}));
/// ```
#[derive(Clone, Debug)]
pub struct SharedSchema {
    value: Arc<Json>,
    /// The number of the version whose schema it is, if the value is a whole definition.
    listed: Option<usize>,
}

impl SharedSchema {
    /// The schema of the version with a number. `None` if it has no schema.
    pub(super) fn of_version(definition: &Arc<Json>, number: usize) -> Option<Self> {
        schema_in(definition, number)?;
        Some(Self { value: Arc::clone(definition), listed: Some(number) })
    }

    /// Returns a copy of the schema.
    pub fn to_value(&self) -> Json {
        Json::clone(self)
    }
}

fn schema_in(definition: &Json, number: usize) -> Option<&Json> {
    let version = definition.get("spec")?.get("versions")?.get(number)?;
    version.get("schema")?.get("openAPIV3Schema").filter(|schema| schema.is_object())
}

impl Deref for SharedSchema {
    type Target = Json;

    fn deref(&self) -> &Json {
        match self.listed {
            Some(number) => schema_in(&self.value, number).unwrap_or(&Json::Null),
            None => &self.value,
        }
    }
}

impl DerefMut for SharedSchema {
    /// Copies a schema that others have too.
    fn deref_mut(&mut self) -> &mut Json {
        if self.listed.is_some() {
            *self = self.to_value().into();
        }
        Arc::make_mut(&mut self.value)
    }
}

impl From<Json> for SharedSchema {
    fn from(schema: Json) -> Self {
        Self { value: Arc::new(schema), listed: None }
    }
}

impl PartialEq for SharedSchema {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
