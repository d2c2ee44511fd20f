//! The kinds that a policy is about, with their schemas: built-in ones, and those of the definitions of the run.

use kvrules_apiserver::policy::acceptance::{CheckedResource, mentioned_names, resources_to_check};
use kvrules_kubernetes::keywords::PRESERVE_UNKNOWN_FIELDS;
use kvrules_kubernetes::types::{
    BuiltInResource, Minor, find_resources, resolve_metadata, resolve_schema, resolve_stored_metadata,
    resolve_stored_schema,
};
pub use kvrules_lift::PolicySubject;
use serde_json::{Value, json};

use super::presence::as_stored;
use crate::run_resources::{DefinedVersion, RunResources};

/// Kind whose objects have a known schema.
#[derive(Clone, Debug)]
pub(super) struct KnownKind<'r> {
    /// `kind` and `apiVersion`, in words.
    pub(super) title: String,
    kind: String,
    schema: SchemaSource<'r>,
}

#[derive(Clone, Debug)]
enum SchemaSource<'r> {
    /// The forms of a resource in different minors.
    BuiltIn(Vec<&'static BuiltInResource>),
    Defined(DefinedVersion<'r>),
}

/// Kinds that a policy is about.
pub(super) struct PolicyKinds<'r> {
    pub(super) objects: Vec<KnownKind<'r>>,
    /// The resources of these kinds.
    resources: Vec<CheckedResource>,
    /// True if the policy also matches objects of unknown kinds.
    pub(super) has_others: bool,
    pub(super) params: Option<KnownKind<'r>>,
}

impl<'r> PolicyKinds<'r> {
    pub(super) fn find_kinds(document: &Value, run: &'r RunResources) -> Self {
        let checked = resources_to_check(document);
        let known =
            |resource: &CheckedResource| Some((KnownKind::of_resource(resource, run)?, resource.clone()));
        let (objects, resources): (Vec<_>, Vec<_>) = checked.resources.iter().filter_map(known).unzip();
        let has_others = checked.has_others || objects.len() < checked.resources.len();
        let text = |pointer| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let version = text("/spec/paramKind/apiVersion");
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let params = KnownKind::of_kind(group, version, text("/spec/paramKind/kind"), run);
        Self { objects, resources, has_others, params }
    }
}

/// The test for the fields that a schema needs to have.
type FieldTest<'t> = &'t dyn Fn(&str) -> bool;

/// A way to resolve the schemas of built-in resources, and that of `metadata`.
#[derive(Clone, Copy)]
struct SchemaResolution {
    of_resource: fn(Minor, &BuiltInResource, FieldTest<'_>) -> Option<Value>,
    of_metadata: fn(Minor, FieldTest<'_>) -> Option<Value>,
}

/// As the types declare them.
const DECLARED: SchemaResolution =
    SchemaResolution { of_resource: resolve_schema, of_metadata: resolve_metadata };

/// With the fields that objects have when a server stores them.
const STORED: SchemaResolution =
    SchemaResolution { of_resource: resolve_stored_schema, of_metadata: resolve_stored_metadata };

impl<'r> KnownKind<'r> {
    pub(super) fn is_built_in(&self) -> bool {
        matches!(self.schema, SchemaSource::BuiltIn(_))
    }

    pub(super) fn is_namespaced(&self) -> bool {
        match &self.schema {
            SchemaSource::BuiltIn(forms) => forms.first().is_some_and(|form| form.is_namespaced),
            SchemaSource::Defined(version) => version.is_namespaced,
        }
    }

    fn of_resource(resource: &CheckedResource, run: &'r RunResources) -> Option<Self> {
        let CheckedResource { group, version, resource } = resource;
        Self::new(group, version, run.find_resource(group, version, resource), |it| it.plural == resource)
    }

    fn of_kind(group: &str, version: &str, kind: &str, run: &'r RunResources) -> Option<Self> {
        Self::new(group, version, run.find_kind(group, version, kind), |it| it.kind == kind)
    }

    fn new(
        group: &str,
        version: &str,
        defined: Option<DefinedVersion<'r>>,
        is_meant: impl Fn(&BuiltInResource) -> bool,
    ) -> Option<Self> {
        let built_in = find_resources(group).filter(|it| it.version == version && is_meant(it));
        let built_in: Vec<_> = built_in.collect();
        let (kind, schema) = match (defined, built_in.first()) {
            (Some(defined), _) => (defined.kind, SchemaSource::Defined(defined)),
            (None, Some(first)) => (first.kind, SchemaSource::BuiltIn(built_in)),
            (None, None) => return None,
        };
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        Some(Self { title: format!("`{kind}` of `{api_version}`"), kind: kind.to_owned(), schema })
    }

    /// The schema in a minor, or in the newest one that has the resource.
    pub(super) fn resolve_schema(&self, minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
        self.resolve_with(DECLARED, minor, is_wanted)
    }

    /// The schema of the objects that the server stores, in the newest minor.
    fn resolve_stored_schema(&self, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
        self.resolve_with(STORED, Minor::NEWEST, is_wanted)
    }

    fn resolve_with(
        &self,
        resolve: SchemaResolution,
        minor: Minor,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Value> {
        match &self.schema {
            SchemaSource::BuiltIn(forms) => {
                let served = |minor: Minor| forms.iter().find(|form| form.minors.contains(minor));
                let mut minors = std::iter::once(minor).chain(Minor::newest_first());
                let (minor, form) = minors.find_map(|minor| Some((minor, served(minor)?)))?;
                (resolve.of_resource)(minor, form, is_wanted)
            }
            SchemaSource::Defined(version) => {
                Some(complete_definition(version.schema, (resolve.of_metadata)(minor, is_wanted)))
            }
        }
    }
}

/// The schema of a definition with the fields that every object has.
// apiextensions pkg/controller/openapi/builder/builder.go, buildKubeNative
fn complete_definition(schema: &Value, metadata: Option<Value>) -> Value {
    let mut schema = schema.clone();
    let open = schema.get(PRESERVE_UNKNOWN_FIELDS).and_then(Value::as_bool) == Some(true);
    if let (Some(fields), Some(metadata), false) = (schema.as_object_mut(), metadata, open) {
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("apiVersion".to_owned(), json!({"type": "string"}));
            properties.insert("kind".to_owned(), json!({"type": "string"}));
            properties.insert("metadata".to_owned(), metadata);
        }
    }
    schema
}

/// Returns the kinds of objects that a policy matches by their names, as far as their schemas are known: built-in kinds of
/// Kubernetes, and those of the definitions of the run. Only fields that the policy names are in the schemas.
///
/// ```
/// use kvrules_crd::{RunResources, policy_subjects};
/// let policy = serde_json::json!({"spec": {
///     "matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"],
///         "resources": ["deployments"]}]},
///     "validations": [{"expression": "object.spec.replicas < 5"}]}});
/// let subjects = policy_subjects(&policy, &RunResources::default());
/// assert_eq!(subjects[0].kind, "Deployment");
/// ```
pub fn policy_subjects(document: &Value, run: &RunResources) -> Vec<PolicySubject> {
    let kinds = PolicyKinds::find_kinds(document, run);
    subjects_of_kinds(document, &kinds).into_iter().map(|(subject, _)| subject).collect()
}

/// A kind of objects that a policy matches, as its types describe it and as the server stores its objects.
pub(super) struct ExaminedSubject {
    pub(super) declared: PolicySubject,
    pub(super) stored: PolicySubject,
}

/// The kinds that [`policy_subjects`] returns, with the objects that the server stores.
pub(super) fn examined_subjects(document: &Value, run: &RunResources) -> Vec<ExaminedSubject> {
    let kinds = PolicyKinds::find_kinds(document, run);
    let is_wanted = wanted_names(document);
    let subject = |(declared, kind): (PolicySubject, &KnownKind<'_>)| {
        let object = kind.resolve_stored_schema(&is_wanted)?;
        let stored = as_stored(&PolicySubject { object, ..declared.clone() });
        Some(ExaminedSubject { declared, stored })
    };
    subjects_of_kinds(document, &kinds).into_iter().filter_map(subject).collect()
}

/// The test for the fields that schemas need to have.
fn wanted_names(document: &Value) -> impl Fn(&str) -> bool {
    let names = mentioned_names(document);
    let always = ["metadata", "name", "namespace", "labels"];
    move |name: &str| names.contains(name) || always.contains(&name)
}

/// Returns the whole schemas of the objects that a policy matches, and of its parameters, as far as they are known.
pub(crate) fn object_schemas(document: &Value, run: &RunResources) -> (Vec<Value>, Vec<Value>) {
    let kinds = PolicyKinds::find_kinds(document, run);
    let schema = |kind: &KnownKind<'_>| kind.resolve_schema(Minor::NEWEST, &|_| true);
    (kinds.objects.iter().filter_map(schema).collect(), kinds.params.iter().filter_map(schema).collect())
}

/// The subjects of a policy with their kinds.
pub(super) fn subjects_of_kinds<'k, 'r>(
    document: &Value,
    kinds: &'k PolicyKinds<'r>,
) -> Vec<(PolicySubject, &'k KnownKind<'r>)> {
    let is_wanted = wanted_names(document);
    let params = kinds.params.as_ref().and_then(|it| it.resolve_schema(Minor::NEWEST, &is_wanted));
    let subject = |(kind, resource): (&'k KnownKind<'r>, &CheckedResource)| {
        let subject = PolicySubject {
            group: resource.group.clone(),
            version: resource.version.clone(),
            resource: resource.resource.clone(),
            kind: kind.kind.clone(),
            object: kind.resolve_schema(Minor::NEWEST, &is_wanted)?,
            params: params.clone(),
        };
        Some((subject, kind))
    };
    kinds.objects.iter().zip(&kinds.resources).filter_map(subject).collect()
}

/// True if a policy may match objects of kinds that [`policy_subjects`] does not return: by wildcards, as subresources, or of unknown
/// definitions.
pub fn has_unknown_subjects(document: &Value, run: &RunResources) -> bool {
    PolicyKinds::find_kinds(document, run).has_others
}
