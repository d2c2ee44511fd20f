//! The versions of a definition, each with its schema.

use serde_json::Value as Json;

/// A version of a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceVersion {
    /// `metadata.name` of the definition, such as `ponds.example.com`.
    pub definition: String,
    /// The API group.
    pub group: String,
    /// The name of the version, such as `v1`.
    pub version: String,
    /// The name of the resource, such as `ponds`.
    pub plural: String,
    /// The kind of the objects.
    pub kind: String,
    /// True if the objects belong to namespaces.
    pub is_namespaced: bool,
    /// True if servers serve it.
    pub is_served: bool,
    /// True if the status is a subresource.
    pub has_status: bool,
    /// The path of the replicas that requests for its scale change, such as `.spec.replicas`, if it has that subresource.
    pub scale_path: Option<String>,
    /// Its value of `openAPIV3Schema`.
    pub schema: Json,
}

impl ResourceVersion {
    /// Returns the versions of a definition that have a schema, in their order.
    ///
    /// ```
    /// use kvrules_apiserver::definition::ResourceVersion;
    /// use serde_json::json;
    ///
    /// let schema = json!({"openAPIV3Schema": {"type": "object"}});
    /// let versions = ResourceVersion::of_definition(&json!({"metadata": {"name": "ponds.example.com"}, "spec": {
    ///     "group": "example.com", "names": {"kind": "Pond"}, "scope": "Namespaced",
    ///     "versions": [{"name": "v1", "served": true, "schema": schema}, {"name": "v2"}],
    /// }}));
    /// assert_eq!((versions.len(), versions[0].api_version().as_str()), (1, "example.com/v1"));
    /// ```
    pub fn of_definition(definition: &Json) -> Vec<Self> {
        let text = |value: &Json, pointer: &str| {
            value.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        let plural = match text(definition, "/spec/names/plural") {
            plural if plural.is_empty() => {
                let name = text(definition, "/metadata/name");
                name.split('.').next().unwrap_or_default().to_owned()
            }
            plural => plural,
        };
        let versions = definition.pointer("/spec/versions").and_then(Json::as_array);
        let read = |version: &Json| {
            Some(Self {
                definition: text(definition, "/metadata/name"),
                group: text(definition, "/spec/group"),
                version: text(version, "/name"),
                plural: plural.clone(),
                kind: text(definition, "/spec/names/kind"),
                is_namespaced: text(definition, "/spec/scope") == "Namespaced",
                is_served: version.get("served") == Some(&Json::Bool(true)),
                has_status: version.pointer("/subresources/status").is_some_and(Json::is_object),
                scale_path: version
                    .pointer("/subresources/scale/specReplicasPath")
                    .and_then(Json::as_str)
                    .map(str::to_owned),
                schema: version.pointer("/schema/openAPIV3Schema").filter(|it| it.is_object())?.clone(),
            })
        };
        versions.into_iter().flatten().filter_map(read).collect()
    }

    /// Returns the name of a file about it, such as `ponds.example.com_v1`.
    pub fn file_stem(&self) -> String {
        format!("{}_{}", self.definition, self.version)
    }

    /// Returns the `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}
