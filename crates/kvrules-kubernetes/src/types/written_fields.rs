//! Fields of objects that requests for their subresources change.
//!
//! The facts are those of the strategies in `pkg/registry` of Kubernetes: `PrepareForUpdate` puts back what a subresource does not
//! write, and admission sees the object after it.

use crate::types::index::{BuiltInResource, Subresource};

/// A subresource, with the fields of the object that its requests change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFields {
    /// Its name, such as `resize`.
    pub subresource: &'static str,
    /// True if admission sees the whole object, and not an object of another kind such as `Scale`.
    pub shows_object: bool,
    /// Paths of the fields, such as `spec.containers[*].resources`; the empty path is the object.
    pub fields: Vec<&'static str>,
}

/// The metadata that a strategy keeps if it does not call `ResetObjectMetaForStatus`.
const METADATA: [&str; 4] =
    ["metadata.labels", "metadata.annotations", "metadata.finalizers", "metadata.ownerReferences"];

/// API groups whose objects have a status that is older than `ResetObjectMetaForStatus`.
const WITHOUT_RESET: [&str; 6] = ["", "apps", "autoscaling", "batch", "networking.k8s.io", "policy"];

impl BuiltInResource {
    /// Returns the subresources with the fields that their requests change, without those that change none.
    ///
    /// ```
    /// use kvrules_kubernetes::types::{Minor, find_kind};
    ///
    /// let written = find_kind(Minor::NEWEST, "", "v1", "Pod").unwrap().written_fields();
    /// let debugged = written.iter().find(|it| it.subresource == "ephemeralcontainers").unwrap();
    /// assert_eq!((debugged.shows_object, debugged.fields.as_slice()), (true, ["spec.ephemeralContainers"].as_slice()));
    /// ```
    pub fn written_fields(&self) -> Vec<WrittenFields> {
        let written = |subresource: &Subresource| WrittenFields {
            subresource: subresource.name,
            shows_object: subresource.kind.rsplit('/').next() == Some(self.kind),
            fields: fields_of(self, subresource.name),
        };
        self.subresources.iter().map(written).filter(|written| !written.fields.is_empty()).collect()
    }
}

fn fields_of(resource: &BuiltInResource, subresource: &str) -> Vec<&'static str> {
    match (resource.plural, subresource) {
        // Connections and answers, which store nothing.
        (_, "attach" | "exec" | "log" | "portforward" | "proxy" | "token") => Vec::new(),
        (_, "scale") => vec!["spec.replicas"],
        // core/pod/strategy.go, dropNonEphemeralContainerUpdates
        ("pods", "ephemeralcontainers") => vec!["spec.ephemeralContainers"],
        // core/pod/strategy.go, dropNonResizeUpdates
        ("pods", "resize") => vec![
            "spec.containers[*].resources",
            "spec.containers[*].resizePolicy",
            "spec.initContainers[*].resources",
            "spec.initContainers[*].resizePolicy",
            "spec.resources",
        ],
        // core/pod/storage/storage.go, setPodNodeAndMetadata
        ("pods", "binding") => {
            vec!["spec.nodeName", "metadata.annotations", "metadata.labels", "status.conditions"]
        }
        // core/pod/storage/eviction.go, addConditionAndDeletePod
        ("pods", "eviction") => vec!["status.conditions"],
        // core/namespace/strategy.go, namespaceFinalizeStrategy
        ("namespaces", "finalize") => [&["spec"], METADATA.as_slice()].concat(),
        // certificates/certificates/strategy.go, csrApprovalStrategy
        ("certificatesigningrequests", "approval") => [&["status.conditions"], METADATA.as_slice()].concat(),
        (_, "status") => [&["status"], metadata_with_status(resource)].concat(),
        // Nothing is known of it.
        _ => vec![""],
    }
}

/// The metadata that a request for the status may change.
fn metadata_with_status(resource: &BuiltInResource) -> &'static [&'static str] {
    let [_, annotations @ ..] = &METADATA;
    let [but_owners @ .., _] = &METADATA;
    match (resource.group, resource.plural) {
        // core/pod/strategy.go, podStatusStrategy
        ("", "pods") => but_owners,
        // apps/deployment/strategy.go, deploymentStatusStrategy
        ("apps", "deployments") => annotations,
        ("certificates.k8s.io", "certificatesigningrequests") => &METADATA,
        (group, _) if WITHOUT_RESET.contains(&group) => &METADATA,
        _ => &[],
    }
}
