//! Objects of Kubernetes as expressions of policies see them.

use kvrules_kubernetes::types::{Minor, find_kind, is_kubernetes_group};
use serde_json::Value;

/// Adds the fields to an object that the server has as null if they are unset, as `rules` of a ClusterRole. Other kinds than those that
/// Kubernetes itself serves have no such fields.
pub fn fill_unset_fields(api_version: &str, kind: &str, object: &mut Value) {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if let Some(resource) = find_kind(Minor::NEWEST, group, version, kind) {
        kvrules_kubernetes::types::fill_unset_fields(Minor::NEWEST, resource, object);
    }
}

/// True for an `apiVersion` of an API group that Kubernetes itself serves. An object without one is of no group.
pub fn is_kubernetes_version(api_version: &str) -> bool {
    !api_version.is_empty() && is_kubernetes_group(api_version.split_once('/').map_or("", |(group, _)| group))
}
