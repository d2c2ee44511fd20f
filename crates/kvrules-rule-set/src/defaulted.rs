//! Objects as a server reads them before it evaluates rules: with the defaults of the subject's definition.

use std::sync::{Arc, OnceLock};

use kvrules_apiserver::object::ObjectSchema;
use serde_json::Value as Json;

/// Reads objects of a subject; made when the first is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefaultFiller(Arc<OnceLock<Option<ObjectSchema>>>);

impl DefaultFiller {
    /// Returns an object with the defaults of a schema, always the same one; `None` if it has none, or if the object cannot be read.
    pub(crate) fn fill_in(&self, schema: &Json, object: &Json) -> Option<Json> {
        let made = self
            .0
            .get_or_init(|| has_default(schema).then(|| ObjectSchema::new(schema).without_metadata_checks()));
        made.as_ref()?.decode_new_object(object)
    }
}

/// True if a value of a schema, or a value below it, has a default.
fn has_default(schema: &Json) -> bool {
    let is_set = schema.get("default").is_some_and(|default| !default.is_null());
    let fields = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
    let within = ["items", "additionalProperties"].into_iter().filter_map(|keyword| schema.get(keyword));
    is_set || fields.map(|(_, field)| field).chain(within).any(has_default)
}
