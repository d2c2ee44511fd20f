//! The metadata of an object: what the server reads of it, fills in, and requires.

use serde_json::{Map, Value as Json};

use super::failure;
use crate::crd::Failure;
use crate::field_error::ErrorType;
use crate::object_meta::{self, Lenience, NameRule, Scope, text};

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
pub(super) fn decode(object: &mut Json, lenience: Lenience) -> Result<Vec<String>, Failure> {
    let Some(metadata) = object.get_mut(METADATA) else { return Ok(Vec::new()) };
    let decoded = object_meta::decode(metadata, lenience)
        .map_err(|error| failure("", ErrorType::BadRequest, &error))?;
    *metadata = decoded.metadata;
    Ok(decoded.unknown.into_iter().map(|path| format!("{METADATA}.{path}")).collect())
}

/// Fills in what the server fills in before it looks: a name that is generated, and on updates what the stored object has.
pub(super) fn complete(object: &mut Json, old: Option<&Json>, scope: ObjectScope) {
    let Some(fields) = object.as_object_mut() else { return };
    let metadata = fields.entry(METADATA).or_insert_with(|| Json::Object(Map::new()));
    let keeps = if scope == ObjectScope::Cluster { Scope::Cluster } else { Scope::Namespaced };
    object_meta::complete(metadata, old.and_then(|old| old.get(METADATA)), keeps);
}

/// Returns the errors of the metadata of an object, compared with the stored one if it is an update.
pub(super) fn violations(object: &Json, old: Option<&Json>, scope: ObjectScope) -> Vec<Failure> {
    let (metadata, none) = (object.get(METADATA).unwrap_or(&Json::Null), Json::Null);
    let scope = match scope {
        ObjectScope::Namespaced if !text(metadata, "namespace").is_empty() => Scope::Namespaced,
        _ => Scope::Cluster,
    };
    match old {
        None => object_meta::violations(metadata, scope, NameRule::Subdomain, METADATA),
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
