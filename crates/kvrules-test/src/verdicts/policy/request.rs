//! The requests that objects are evaluated in: operation, user, names and namespaces.

use kvrules_apiserver::policy::{Request, ResourceScope};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_crd::KubernetesVersion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::allowed::{AllowedAction, to_authorizer};
use super::resources::{DeclaredResource, Resource};

/// Operation of a request.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RequestOperation {
    /// A new object.
    Create,
    /// A change of a stored object.
    Update,
    /// A deletion of a stored object.
    Delete,
    /// A connection to a subresource, such as `pods/exec`.
    Connect,
}

/// A user who requests something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestUser {
    /// The name.
    pub name: String,
    /// The groups that are given.
    pub groups: Vec<String>,
}

/// Properties of requests that objects do not have.
#[derive(Clone, Debug)]
pub struct RequestSetup {
    /// The operation; by default an update if there is a stored object, else a creation.
    pub operation: Option<RequestOperation>,
    /// The user; an expression that reads it is refused without one.
    pub user: Option<RequestUser>,
    /// The subresource; empty for the resource itself.
    pub subresource: String,
    /// True if nothing is stored.
    pub dry_run: bool,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// True if parameters that are not given do not exist, even if none are given.
    pub has_all_params: bool,
    /// Resources of kinds that are not known otherwise.
    pub resources: Vec<DeclaredResource>,
    /// Actions that the authorizer allows; all others are not allowed. An expression that asks it is refused without them.
    pub allowed: Option<Vec<AllowedAction>>,
    /// Kubernetes version of the server.
    pub kubernetes: KubernetesVersion,
}

impl Default for RequestSetup {
    fn default() -> Self {
        Self {
            operation: None,
            user: None,
            subresource: String::new(),
            dry_run: false,
            namespace: "default".to_owned(),
            has_all_params: false,
            resources: Vec::new(),
            allowed: None,
            kubernetes: KubernetesVersion::NEWEST,
        }
    }
}

impl RequestOperation {
    /// Returns the operation with a name; `None` for another name.
    ///
    /// ```
    /// use kvrules::eval::RequestOperation;
    ///
    /// assert_eq!(RequestOperation::from_name("UPDATE"), Some(RequestOperation::Update));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Create, Self::Update, Self::Delete, Self::Connect].into_iter().find(|it| it.as_str() == name)
    }

    /// Returns its name as policies write it.
    ///
    /// ```
    /// assert_eq!(kvrules::eval::RequestOperation::Create.as_str(), "CREATE");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }

    pub(super) fn as_word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Connect => "connect",
        }
    }
}

impl RequestUser {
    /// Returns the user as requests have it, with the groups that every user has.
    ///
    /// ```
    /// use kvrules::eval::RequestUser;
    ///
    /// let user = RequestUser { name: "system:serviceaccount:vms:builder".to_owned(), groups: Vec::new() };
    /// let groups = ["system:serviceaccounts", "system:serviceaccounts:vms", "system:authenticated"];
    /// assert_eq!(user.to_user_info()["groups"], serde_json::json!(groups));
    /// ```
    // apiserver endpoints/filters/impersonation.go, WithImpersonation
    pub fn to_user_info(&self) -> Value {
        let mut groups = self.groups.clone();
        let account = self.name.strip_prefix("system:serviceaccount:").and_then(|it| it.split_once(':'));
        if let Some((namespace, _)) = account.filter(|_| groups.is_empty()) {
            // authentication/serviceaccount/util.go, MakeGroupNames
            groups
                .extend(["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")]);
        }
        let common = match self.name.as_str() {
            "system:anonymous" => "system:unauthenticated",
            _ => "system:authenticated",
        };
        if !groups.iter().any(|group| group == common) {
            groups.push(common.to_owned());
        }
        json!({"username": self.name, "groups": groups})
    }
}

/// The objects of a request.
pub(super) struct RequestObjects {
    pub(super) object: Value,
    pub(super) old: Value,
}

/// Creates the request for an object.
pub(super) fn make_request(
    setup: &RequestSetup,
    (operation, resource): (RequestOperation, &Resource),
    api_version: &str,
    objects: RequestObjects,
) -> Request {
    let RequestObjects { object, old } = objects;
    let of = if object.is_null() { &old } else { &object };
    let text = |pointer| of.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, mut namespace) = (text("/metadata/name"), text("/metadata/namespace"));
    if resource.group.is_empty() && resource.plural == "namespaces" {
        // apiserver endpoints/handlers/create.go, createHandler: a namespace is in itself.
        namespace.clone_from(&name);
    }
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let subresource = Some(&setup.subresource).filter(|it| !it.is_empty()).unwrap_or(&resource.subresource);
    let mut extra = Map::new();
    extra.insert("dryRun".to_owned(), setup.dry_run.into());
    if let Some(user) = &setup.user {
        extra.insert("userInfo".to_owned(), user.to_user_info());
    }
    Request {
        operation: operation.as_str().to_owned(),
        version: resource.version.clone().unwrap_or_else(|| version.to_owned()),
        subresource: subresource.clone(),
        name,
        namespace,
        old_object: old,
        extra: Value::Object(extra),
        is_exact: true,
        authorizer: setup.allowed.as_deref().map(to_authorizer),
        server: ServerFeatures::of_version(setup.kubernetes),
        ..Request::for_creation(&resource.group, &resource.plural, object)
    }
}

/// Sets the namespace of an object as the server does: that of the request if it has none, none if its resource has none.
// apiserver registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace
pub(super) fn set_namespace(object: &mut Value, scope: ResourceScope, default: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    if scope == ResourceScope::Cluster {
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("namespace");
        }
        return;
    }
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    let Some(metadata) = metadata.as_object_mut() else { return };
    let is_set = metadata.get("namespace").and_then(Value::as_str).is_some_and(|it| !it.is_empty());
    if !is_set {
        metadata.insert("namespace".to_owned(), default.into());
    }
}

/// Sets the label that every namespace has, with its name.
// apis/core/v1/defaults.go, SetDefaults_Namespace
pub(super) fn label_namespace(namespace: &mut Value) {
    let Some(metadata) = namespace.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(name) = metadata.get("name").cloned() else { return };
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
}

/// Sets the kind and version of an object; items of a list may leave out what the list says once.
pub(super) fn set_type(object: &mut Value, api_version: &str, kind: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".to_owned(), api_version.into());
        fields.insert("kind".to_owned(), kind.into());
    }
}

/// Removes nulls from the maps of an object that Kubernetes itself serves, as decoding into types in Go does. Objects of other kinds
/// keep their nulls: their definitions say which fields may have one.
///
/// ```
/// use kvrules::eval::drop_built_in_nulls;
/// use serde_json::json;
///
/// let mut object = json!({"apiVersion": "apps/v1", "spec": {"replicas": null, "items": [{"a": null}]}});
/// drop_built_in_nulls(&mut object);
/// assert_eq!(object, json!({"apiVersion": "apps/v1", "spec": {"items": [{}]}}));
///
/// let mut object = json!({"apiVersion": "example.com/v1", "spec": {"depth": null}});
/// drop_built_in_nulls(&mut object);
/// assert_eq!(object["spec"], json!({"depth": null}));
/// ```
pub fn drop_built_in_nulls(object: &mut Value) {
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if kvrules_crd::is_kubernetes_version(api_version) {
        drop_null_fields(object);
    }
}

pub(super) fn drop_null_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_null_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null_fields),
        _ => {}
    }
}
