//! Resources by API group and kind: those of Kubernetes and KubeVirt, of given CustomResourceDefinitions, and declared ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kvrules_apiserver::policy::ResourceScope;
use serde_json::Value;

/// API group, kind, resource and scope of known resources.
const KNOWN: &str = include_str!("resources.txt");

/// Kinds that are written only to a subresource of the core group: group, kind, resource, subresource.
// kubernetes pkg/registry/core/rest/storage_core.go
const SUBRESOURCE_KINDS: [(&str, &str, &str, &str); 8] = [
    ("", "NodeProxyOptions", "nodes", "proxy"),
    ("", "PodAttachOptions", "pods", "attach"),
    ("", "PodExecOptions", "pods", "exec"),
    ("", "PodPortForwardOptions", "pods", "portforward"),
    ("", "PodProxyOptions", "pods", "proxy"),
    ("", "ServiceProxyOptions", "services", "proxy"),
    ("authentication.k8s.io", "TokenRequest", "serviceaccounts", "token"),
    ("policy", "Eviction", "pods", "eviction"),
];

/// A resource that objects of a kind are written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    pub(super) group: String,
    /// The version, if it is not that of the object.
    pub(super) version: Option<String>,
    pub(super) plural: String,
    pub(super) scope: ResourceScope,
    pub(super) subresource: String,
}

/// A resource that the user declares: `KIND[.GROUP]=RESOURCE[.VERSION][.GROUP][,cluster]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredResource {
    group: String,
    kind: String,
    resource: Resource,
}

/// Resources by group and kind.
#[derive(Clone, Debug)]
pub(super) struct ResourceTable(BTreeMap<(String, String), Resource>);

impl DeclaredResource {
    /// Reads a declaration.
    ///
    /// # Errors
    ///
    /// A sentence with the form.
    ///
    /// ```
    /// use kvrules::eval::DeclaredResource;
    ///
    /// assert!(DeclaredResource::parse_declaration("Pond.garden.example.com=ponds").is_ok());
    /// assert!(DeclaredResource::parse_declaration("Scale.autoscaling=deployments.v1.apps").is_ok());
    /// assert!(DeclaredResource::parse_declaration("ponds").unwrap_err().contains("KIND.GROUP=RESOURCE"));
    /// ```
    pub fn parse_declaration(text: &str) -> Result<Self, String> {
        let form = || "write KIND.GROUP=RESOURCE, such as `Pond.example.com=ponds`, or `Pond.example.com=ponds,cluster` if its objects have no namespace";
        let (kind, rest) = text.split_once('=').ok_or_else(form)?;
        let (resource, scope) = match rest.split_once(',') {
            Some((resource, "cluster")) => (resource, ResourceScope::Cluster),
            Some((resource, "namespaced")) => (resource, ResourceScope::Namespaced),
            Some(_) => return Err(form().to_owned()),
            None => (rest, ResourceScope::Namespaced),
        };
        let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
        let (plural, of) = resource.split_once('.').unwrap_or((resource, ""));
        if kind.is_empty() || plural.is_empty() {
            return Err(form().to_owned());
        }
        let (version, of) = match of.split_once('.') {
            Some((version, of)) if is_version(version) => (Some(version.to_owned()), of),
            None if is_version(of) => (Some(of.to_owned()), ""),
            _ => (None, of),
        };
        let is_given = resource.contains('.');
        let resource = Resource {
            group: if is_given { of } else { group }.to_owned(),
            version,
            plural: plural.to_owned(),
            scope,
            subresource: String::new(),
        };
        Ok(Self { group: group.to_owned(), kind: kind.to_owned(), resource })
    }
}

/// True for names such as `v1` and `v1beta1`.
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or_default();
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|it| it.is_ascii_digit() || it.is_ascii_lowercase())
}

impl ResourceTable {
    /// The resources of Kubernetes and KubeVirt.
    pub(super) fn with_known() -> Self {
        let mut table = Self(BTreeMap::new());
        for line in KNOWN.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (Some(group), Some(kind), Some(plural), Some(scope)) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let group = if group == "-" { "" } else { group };
            let scope = if scope == "cluster" { ResourceScope::Cluster } else { ResourceScope::Namespaced };
            table.add_resource(group, kind, plural, scope);
        }
        for (group, kind, plural, subresource) in SUBRESOURCE_KINDS {
            let scope = if plural == "nodes" { ResourceScope::Cluster } else { ResourceScope::Namespaced };
            let resource = Resource {
                group: String::new(),
                version: Some("v1".to_owned()),
                plural: plural.to_owned(),
                scope,
                subresource: subresource.to_owned(),
            };
            table.0.insert((group.to_owned(), kind.to_owned()), resource);
        }
        table
    }

    fn add_resource(&mut self, group: &str, kind: &str, plural: &str, scope: ResourceScope) {
        let (plural, subresource) = (plural.to_owned(), String::new());
        let resource = Resource { group: group.to_owned(), version: None, plural, scope, subresource };
        self.0.insert((group.to_owned(), kind.to_owned()), resource);
    }

    /// Adds the resource of a CustomResourceDefinition.
    pub(super) fn add_definition(&mut self, definition: &Value) {
        let text = |pointer| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let scope = match text("/spec/scope") {
            "Cluster" => ResourceScope::Cluster,
            _ => ResourceScope::Namespaced,
        };
        self.add_resource(text("/spec/group"), text("/spec/names/kind"), text("/spec/names/plural"), scope);
    }

    /// Adds a resource that the user declares.
    pub(super) fn add_declared(&mut self, declared: &DeclaredResource) {
        let DeclaredResource { group, kind, resource } = declared.clone();
        self.0.insert((group, kind), resource);
    }

    /// The resource of a kind.
    pub(super) fn find_resource(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        self.0.get(&(group_of(api_version).to_owned(), kind.to_owned()))
    }
}

/// The resources of Kubernetes and KubeVirt, by kind.
#[derive(Clone, Debug)]
pub struct KnownResources(ResourceTable);

impl KnownResources {
    /// Reads the table.
    pub fn new() -> Self {
        Self(ResourceTable::with_known())
    }

    /// Returns the table, which a process reads once.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<KnownResources> = LazyLock::new(KnownResources::new);
        &SHARED
    }

    /// Returns the resource of a kind, and true if its objects are in namespaces.
    ///
    /// ```
    /// use kvrules::eval::KnownResources;
    ///
    /// let known = KnownResources::new();
    /// assert_eq!(known.find_resource("apps/v1", "Deployment"), Some(("deployments".to_owned(), true)));
    /// assert_eq!(known.find_resource("a.io/v1", "Pond"), None);
    /// ```
    pub fn find_resource(&self, api_version: &str, kind: &str) -> Option<(String, bool)> {
        let resource = self.0.find_resource(api_version, kind)?;
        Some((resource.plural.clone(), resource.scope == ResourceScope::Namespaced))
    }
}

impl Default for KnownResources {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the message about an unknown resource.
pub(super) fn unknown_resource(api_version: &str, kind: &str) -> String {
    let group = group_of(api_version);
    let name = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    format!(
        "unknown resource of kind `{name}`; give its CustomResourceDefinition with `--schema`, or `--resource {name}=PLURAL`"
    )
}

/// The API group of an `apiVersion`.
pub(super) fn group_of(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_resources_are_those_that_servers_list() {
        let table = ResourceTable::with_known();
        let mut compared = 0;
        for minor in 31..=36 {
            let Some(types) = kvrules_testdata::read_value(&format!("kubernetes/types/1.{minor}.json"))
            else {
                return;
            };
            for listed in types["resources"].as_array().unwrap() {
                let [group, kind, plural] =
                    ["group", "kind", "plural"].map(|it| listed[it].as_str().unwrap());
                if group == "internal.apiserver.k8s.io" {
                    continue;
                }
                let known = table.find_resource(&format!("{group}/v1"), kind).unwrap();
                let is_namespaced = known.scope == ResourceScope::Namespaced;
                assert_eq!(
                    (known.plural.as_str(), is_namespaced),
                    (plural, listed["namespaced"] == true),
                    "{kind}"
                );
                compared += 1;
            }
        }
        assert!(compared > 400, "{compared}");
    }

    #[test]
    fn declarations_may_name_the_version_and_the_group_of_the_resource() {
        let resource = |text: &str| DeclaredResource::parse_declaration(text).unwrap().resource;
        let scale = resource("Scale.autoscaling=deployments.v1.apps");
        assert_eq!((scale.group.as_str(), scale.version.as_deref()), ("apps", Some("v1")));
        let pond = resource("Pond.garden.example.com=ponds,cluster");
        assert_eq!(
            (pond.group.as_str(), pond.version, pond.scope),
            ("garden.example.com", None, ResourceScope::Cluster)
        );
        let core = resource("Eviction.policy=pods.v1");
        assert_eq!((core.group.as_str(), core.version.as_deref()), ("", Some("v1")));
        for wrong in ["a", "=b", "A=", "A=b,else"] {
            assert!(DeclaredResource::parse_declaration(wrong).is_err(), "{wrong}");
        }
    }
}
