//! Metadata definitions of Glance: reading, predicting Glance's answer, and writing.
//!
//! A metadef file is one namespace of properties. Two checks are between it and Glance's database: a JSON Schema, and
//! behind it a typed model that is stricter in part ([`predict_answers`]). The loader of files makes neither, which is why a
//! file should be checked before. What Glance does was recorded with glance 33.0.0 (`GLANCE_METADEFS.md`).

mod model;
mod read;
mod schema;
mod write;

use kvrules_diagnostics::Span;
use kvrules_syntax::Node;

pub use read::{
    MetadefNamespace, MetadefProperty, ResourceAssociation, is_namespace, namespace_definitions,
    read_namespace,
};
pub(crate) use write::UNCHECKED_VALUES;
pub use write::{MetadefFile, MetadefFiles, MetadefLoss, write_metadefs};

use crate::python::PyValue;

/// Returns what Glance refuses in a namespace document: the errors of its JSON Schema, and that of its API.
pub fn find_errors(document: Node<'_>) -> Vec<GlanceError> {
    let GlancePrediction { schema: mut errors, api, .. } = predict_answers(document);
    match api {
        ApiAnswer::Forbidden(error) | ApiAnswer::UnknownAttribute(error) | ApiAnswer::InvalidInput(error) => {
            errors.push(error);
        }
        ApiAnswer::Created | ApiAnswer::BadRequest => {}
    }
    errors
}

/// The resource type of flavors.
pub const FLAVOR: &str = "OS::Nova::Flavor";

/// The resource type of images.
pub const IMAGE: &str = "OS::Glance::Image";

/// The longest name of a property that the database keeps.
// glance db/sqlalchemy/models_metadef.py: the columns `name` and `namespace` are String(80).
pub const MAX_NAME: usize = 80;

/// The longest description of a namespace.
// glance api/v2/metadef_namespaces.py, _get_base_properties.
pub const MAX_DESCRIPTION: usize = 500;

/// Prediction of Glance's answers about a document.
#[derive(Clone, Debug, PartialEq)]
pub struct GlancePrediction {
    /// Errors of the JSON Schema; empty if it accepts the document.
    pub schema: Vec<GlanceError>,
    /// Answer of `POST /v2/metadefs/namespaces`.
    pub api: ApiAnswer,
    /// The properties as they come back, where the API takes the document and it has some.
    pub properties: Option<PyValue>,
}

/// One error and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlanceError {
    /// Location of the error.
    pub span: Span,
    /// Message of the error.
    pub message: String,
}

/// Answer of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
// webob's HTTPForbidden and HTTPBadRequest, and wsme's UnknownAttribute and InvalidInput.
pub enum ApiAnswer {
    /// The namespace is made.
    Created,
    /// 403: a key that only Glance may set.
    Forbidden(GlanceError),
    /// 400: the schema rejects the document.
    BadRequest,
    /// 400: a key that the model has not.
    UnknownAttribute(GlanceError),
    /// 400: a value that the model does not take, or one that is missing.
    InvalidInput(GlanceError),
}

impl ApiAnswer {
    /// The word for it in the recorded cases: the class of the error that is raised.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "ok",
            Self::Forbidden(_) => "HTTPForbidden",
            Self::BadRequest => "HTTPBadRequest",
            Self::UnknownAttribute(_) => "UnknownAttribute",
            Self::InvalidInput(_) => "InvalidInput",
        }
    }
}

/// Keys that pass the schema but that only Glance may set.
// glance api/v2/metadef_namespaces.py, RequestDeserializer._disallowed_properties.
const READ_ONLY: [&str; 4] = ["self", "schema", "created_at", "updated_at"];

/// Predicts Glance's answer to a namespace document.
// glance api/v2/metadef_namespaces.py, RequestDeserializer.create: _check_allowed, Schema.validate, and wsme's fromjson.
pub fn predict_answers(document: Node<'_>) -> GlancePrediction {
    let schema = schema::check_document(document);
    let (api, properties) = match document.entries().find(|entry| READ_ONLY.contains(&entry.key.text())) {
        Some(entry) => {
            let message = format!("`{}` is set by Glance alone", entry.key.text());
            (ApiAnswer::Forbidden(GlanceError { span: entry.key.span(), message }), None)
        }
        // Schema.validate raises InvalidObject, which the deserializer turns into HTTPBadRequest.
        None if !schema.is_empty() => (ApiAnswer::BadRequest, None),
        None => match model::convert_document(document) {
            Ok(PyValue::Dict(entries)) => {
                let properties = entries.into_iter().find(|(key, _)| key == "properties");
                (ApiAnswer::Created, properties.map(|(_, value)| value))
            }
            Ok(_) => (ApiAnswer::Created, None),
            Err(answer) => (answer, None),
        },
    };
    GlancePrediction { schema, api, properties }
}
