//! The inflated data: lines of resources, and lines of schemas by their names.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::types::minor::{Minor, MinorSet};

/// The data as `cargo xtask kubernetes-types` writes them.
static COMPRESSED: &[u8] = include_bytes!("../../data/types.txt.zlib");

/// The size that the data may have; they are larger than 300 KB.
const MOST_BYTES: usize = 4 << 20;

/// A resource of a version of an API group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInResource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version, such as `v1`.
    pub version: &'static str,
    /// The name of the resource in rules, such as `deployments`.
    pub plural: &'static str,
    /// The kind of its objects.
    pub kind: &'static str,
    /// True if its objects are in namespaces.
    pub is_namespaced: bool,
    /// The subresources.
    pub subresources: Vec<Subresource>,
    /// The minors that serve it in this form.
    pub minors: MinorSet,
    pub(crate) schema: &'static str,
}

/// A subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Its name, such as `scale`.
    pub name: &'static str,
    /// The version and kind of what is written to it, such as `autoscaling/v1/Scale`.
    pub kind: &'static str,
}

/// A schema as it is in some minors.
pub(crate) struct SchemaText {
    pub(crate) minors: MinorSet,
    json: &'static str,
    parsed: OnceLock<Option<Value>>,
}

impl SchemaText {
    /// The schema with its references; parsed on the first call.
    pub(crate) fn parse_schema(&self) -> Option<&Value> {
        self.parsed.get_or_init(|| serde_json::from_str(self.json).ok()).as_ref()
    }
}

/// Everything by its name.
#[derive(Default)]
struct TypeIndex {
    /// In the order of group, plural and version.
    resources: Vec<BuiltInResource>,
    schemas: BTreeMap<&'static str, Vec<SchemaText>>,
}

impl BuiltInResource {
    /// Returns the `apiVersion` of its objects.
    ///
    /// ```
    /// use kvrules_kubernetes::types::{Minor, find_kind};
    /// assert_eq!(find_kind(Minor::NEWEST, "apps", "v1", "Deployment").unwrap().api_version(), "apps/v1");
    /// assert_eq!(find_kind(Minor::NEWEST, "", "v1", "Pod").unwrap().api_version(), "v1");
    /// ```
    pub fn api_version(&self) -> String {
        let Self { group, version, .. } = self;
        if group.is_empty() { (*version).to_owned() } else { format!("{group}/{version}") }
    }
}

/// Returns the resources of an API group: each in each version, and once more if minors differ in it.
///
/// ```
/// use kvrules_kubernetes::types::find_resources;
/// let pods: Vec<_> = find_resources("").filter(|it| it.plural == "pods").collect();
/// // `pods/resize` is newer than the oldest of the minors.
/// assert_eq!(pods.len(), 2);
/// assert!(pods.iter().all(|it| it.subresources.iter().any(|of| of.name == "exec")));
/// ```
pub fn find_resources(group: &str) -> impl Iterator<Item = &'static BuiltInResource> {
    let all = &type_index().resources;
    let start = all.partition_point(|resource| resource.group < group);
    let length = all.iter().skip(start).take_while(|resource| resource.group == group).count();
    all.iter().skip(start).take(length)
}

/// Returns the resource whose objects have a kind, in one minor.
///
/// ```
/// use kvrules_kubernetes::types::{Minor, find_kind};
/// assert_eq!(find_kind(Minor::NEWEST, "", "v1", "ConfigMap").unwrap().plural, "configmaps");
/// assert_eq!(find_kind(Minor::NEWEST, "", "v1", "Configmap"), None);
/// ```
pub fn find_kind(minor: Minor, group: &str, version: &str, kind: &str) -> Option<&'static BuiltInResource> {
    let is_meant =
        |it: &&BuiltInResource| it.minors.contains(minor) && it.version == version && it.kind == kind;
    find_resources(group).find(is_meant)
}

/// True if an API group is one that Kubernetes itself serves, so that all of its resources are known.
pub fn is_kubernetes_group(group: &str) -> bool {
    find_resources(group).next().is_some()
}

/// Returns the API groups that Kubernetes itself serves, sorted; the core group is the empty name.
pub fn kubernetes_groups() -> Vec<&'static str> {
    let mut groups: Vec<&str> = type_index().resources.iter().map(|resource| resource.group).collect();
    groups.dedup();
    groups
}

/// The forms of a schema.
pub(crate) fn schema_texts(name: &str) -> &'static [SchemaText] {
    type_index().schemas.get(name).map(Vec::as_slice).unwrap_or_default()
}

fn type_index() -> &'static TypeIndex {
    static INDEX: OnceLock<TypeIndex> = OnceLock::new();
    INDEX.get_or_init(|| parse_index(catalog_text()))
}

/// The data as text.
fn catalog_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    // The data are part of the program; a test reads all of them.
    let inflate = || miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(COMPRESSED, MOST_BYTES).ok();
    TEXT.get_or_init(|| inflate().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default())
}

fn parse_index(text: &'static str) -> TypeIndex {
    let mut index = TypeIndex::default();
    for line in text.lines() {
        if let Some(schema) = line.strip_prefix("schema ") {
            let mut parts = schema.splitn(3, ' ');
            if let (Some(name), Some(minors), Some(json)) =
                (parts.next(), parts.next().and_then(MinorSet::parse_digits), parts.next())
            {
                index.schemas.entry(name).or_default().push(SchemaText {
                    minors,
                    json,
                    parsed: OnceLock::new(),
                });
            }
        } else {
            index.resources.extend(line.strip_prefix("resource ").and_then(parse_resource));
        }
    }
    index
}

/// Parses `GROUP PLURAL VERSION MINORS KIND SCOPE SCHEMA [SUBRESOURCE=KIND…]`; the core group is a `-`.
fn parse_resource(line: &'static str) -> Option<BuiltInResource> {
    let mut parts = line.split(' ');
    let group = parts.next().map(|group| if group == "-" { "" } else { group })?;
    let (plural, version) = (parts.next()?, parts.next()?);
    let minors = MinorSet::parse_digits(parts.next()?)?;
    let (kind, scope, schema) = (parts.next()?, parts.next()?, parts.next()?);
    let subresource = |(name, kind)| Subresource { name, kind };
    let subresources = parts.filter_map(|part| part.split_once('=')).map(subresource).collect();
    let is_namespaced = scope == "namespaced";
    Some(BuiltInResource { group, version, plural, kind, is_namespaced, subresources, minors, schema })
}
