//! The metadata of an object: what the server reads of it, fills in, and requires.

use serde_json::{Map, Value as Json};

use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::object_meta::{self, NameRule, ResourceScope, TypeErrorHandling, text_field};

/// Scope of the objects of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectScope {
    /// In a namespace. An object that names none gets that of the request, which is not known here.
    Namespaced,
    /// In no namespace. What an object names is dropped.
    #[default]
    Cluster,
}

const METADATA: &str = "metadata";

/// Reads the metadata, and gives the paths of its unknown fields.
// apiextensions customresource_handler.go, unstructuredSchemaCoercer.apply
pub(super) fn decode_metadata(
    object: &mut Json,
    lenience: TypeErrorHandling,
) -> Result<Vec<String>, Failure> {
    let Some(metadata) = object.get_mut(METADATA) else { return Ok(Vec::new()) };
    let decoded = object_meta::decode_metadata(metadata, lenience)
        .map_err(|error| Failure::new("", ErrorType::BadRequest, &error))?;
    *metadata = decoded.metadata;
    Ok(decoded.unknown.into_iter().map(|path| format!("{METADATA}.{path}")).collect())
}

/// Fills in what the server fills in before it looks: a name that is generated, and on updates what the stored object has.
pub(super) fn complete_metadata(object: &mut Json, old: Option<&Json>, scope: ObjectScope) {
    let Some(fields) = object.as_object_mut() else { return };
    let metadata = fields.entry(METADATA).or_insert_with(|| Json::Object(Map::new()));
    let keeps =
        if scope == ObjectScope::Cluster { ResourceScope::Cluster } else { ResourceScope::Namespaced };
    object_meta::complete_metadata(metadata, old.and_then(|old| old.get(METADATA)), keeps);
}

/// Returns the errors of the metadata of an object, compared with the stored one if it is an update.
pub(super) fn metadata_violations(object: &Json, old: Option<&Json>, scope: ObjectScope) -> Vec<Failure> {
    let (metadata, none) = (object.get(METADATA).unwrap_or(&Json::Null), Json::Null);
    // An object without a namespace is validated as one of the cluster, since the request's namespace is unknown.
    let scope = match scope {
        ObjectScope::Namespaced if !text_field(metadata, "namespace").is_empty() => ResourceScope::Namespaced,
        _ => ResourceScope::Cluster,
    };
    match old {
        None => object_meta::metadata_violations(metadata, scope, NameRule::Subdomain, METADATA),
        Some(old) => {
            object_meta::update_violations(metadata, old.get(METADATA).unwrap_or(&none), scope, METADATA)
        }
    }
}

/// Returns the server's warnings about the finalizers of an object.
pub(super) fn finalizer_warnings(object: &Json, old: Option<&Json>) -> Vec<String> {
    let metadata = |object: &'_ Json| object.get(METADATA).cloned();
    let old = old.and_then(metadata);
    metadata(object).map(|it| object_meta::finalizer_warnings(&it, old.as_ref())).unwrap_or_default()
}
