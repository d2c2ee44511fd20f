//! Expressions of a policy compared with the types of the objects that it matches, and of its parameters: built-in types of
//! Kubernetes, and those of the definitions of the run. A server writes the same into `status.typeChecking` of the policy.

use kvrules_apiserver::policy::acceptance::{
    CheckedResource, TypeMismatch, check_types, mentioned_names, resources_to_check,
};
use kvrules_diagnostics::Diagnostic;
use kvrules_kubernetes_types::{BuiltInResource, Minor, find_resources, resolve_metadata, resolve_schema};
use kvrules_syntax::Node;
use serde_json::{Value, json};

use crate::cel::{MismatchedTypes, mismatch_finding};
use crate::run_resources::{DefinedVersion, RunResources};

/// Kind whose objects have a known schema.
#[derive(Clone, Debug)]
struct KnownKind<'r> {
    /// `kind` and `apiVersion`, in words.
    title: String,
    schema: SchemaSource<'r>,
}

#[derive(Clone, Debug)]
enum SchemaSource<'r> {
    /// The forms of a resource in different minors.
    BuiltIn(Vec<&'static BuiltInResource>),
    Defined(DefinedVersion<'r>),
}

/// Kinds that a policy is about.
struct PolicyKinds<'r> {
    objects: Vec<KnownKind<'r>>,
    /// True if the policy also matches objects of unknown kinds.
    has_others: bool,
    params: Option<KnownKind<'r>>,
}

/// A mismatch, and the titles of the kinds that have it.
type MismatchOfKinds<'k> = (TypeMismatch, Vec<&'k str>);

/// Findings about the expressions of a policy.
pub(super) fn type_findings(node: Node<'_>, document: &Value, run: &RunResources) -> Vec<Diagnostic> {
    let kinds = PolicyKinds::find_kinds(document, run);
    let is_selective = selects_by_kind(document);
    let to_finding = |(mismatch, mut titles): MismatchOfKinds<'_>| {
        let is_of_params = mismatch.place.starts_with("params") || kinds.objects.is_empty();
        let is_of_all = is_of_params || (titles.len() == kinds.objects.len() && !kinds.has_others);
        if !is_of_all && is_selective {
            return None;
        }
        if let (true, Some(params)) = (is_of_params, &kinds.params) {
            titles = vec![&params.title];
        }
        let expression = super::find_field_entry(node, &mismatch.field)?.0.value;
        let types = MismatchedTypes { place: &mismatch.place, titles: &titles, is_of_all };
        let finding = mismatch_finding(expression, &mismatch.issue, &types, &mismatch.candidates);
        Some(finding.with_field(&mismatch.field))
    };
    collect_mismatches(document, &kinds).into_iter().filter_map(to_finding).collect()
}

/// The mismatches of all kinds, each once.
fn collect_mismatches<'k>(document: &Value, kinds: &'k PolicyKinds<'_>) -> Vec<MismatchOfKinds<'k>> {
    let params = kinds.params.as_ref();
    let objects = kinds.objects.iter().map(Some);
    let without_objects = params.filter(|_| kinds.objects.is_empty()).map(|_| None);
    let mut found: Vec<MismatchOfKinds<'k>> = Vec::new();
    for object in objects.chain(without_objects) {
        let title = object.map_or("", |kind| kind.title.as_str());
        for mismatch in find_mismatches(document, object, params) {
            match found.iter_mut().find(|(known, _)| is_same_mismatch(known, &mismatch)) {
                Some((_, titles)) => titles.push(title),
                None => found.push((mismatch, vec![title])),
            }
        }
    }
    found
}

fn is_same_mismatch(one: &TypeMismatch, other: &TypeMismatch) -> bool {
    one.field == other.field
        && one.issue.offset == other.issue.offset
        && one.issue.message == other.issue.message
}

/// True if expressions may distinguish kinds of objects: what is wrong for some of the kinds then may never be evaluated for them.
fn selects_by_kind(document: &Value) -> bool {
    let signs = ["kind", "Kind", "resource", "Resource", "apiVersion", "has"];
    let names = mentioned_names(document);
    let is_guarded = |text: &str| text.contains('?') || text.contains(" in ");
    signs.iter().any(|sign| names.contains(*sign))
        || names.iter().any(|name| name.ends_with("Resource") || name.ends_with("Kind"))
        || document.get("spec").is_some_and(|spec| is_guarded(&spec.to_string()))
}

/// The mismatches for one kind of objects. Those that a minor of Kubernetes does not have are left out.
fn find_mismatches(
    document: &Value,
    object: Option<&KnownKind<'_>>,
    params: Option<&KnownKind<'_>>,
) -> Vec<TypeMismatch> {
    let names = mentioned_names(document);
    let check = |minor: Minor, is_wanted: &dyn Fn(&str) -> bool| {
        let schema =
            |kind: Option<&KnownKind<'_>>| kind.and_then(|kind| kind.resolve_schema(minor, is_wanted));
        check_types(document, schema(object).as_ref(), schema(params).as_ref())
    };
    let mut minors = Minor::newest_first();
    let Some(newest) = minors.next() else { return Vec::new() };
    if check(newest, &|name| names.contains(name)).is_empty() {
        return Vec::new();
    }
    // For suggestions, all fields have to be known.
    let mut found = check(newest, &|_| true);
    for minor in minors.filter(|_| is_built_in(object) || is_built_in(params)) {
        let others = check(minor, &|name| names.contains(name));
        found.retain(|mismatch| others.iter().any(|other| is_same_mismatch(mismatch, other)));
    }
    found
}

fn is_built_in(kind: Option<&KnownKind<'_>>) -> bool {
    kind.is_some_and(|kind| matches!(kind.schema, SchemaSource::BuiltIn(_)))
}

impl<'r> PolicyKinds<'r> {
    fn find_kinds(document: &Value, run: &'r RunResources) -> Self {
        let checked = resources_to_check(document);
        let kinds = checked.resources.iter().map(|resource| KnownKind::of_resource(resource, run));
        let kinds: Vec<_> = kinds.collect();
        let has_others = checked.has_others || kinds.iter().any(Option::is_none);
        let text = |pointer| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let version = text("/spec/paramKind/apiVersion");
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let params = KnownKind::of_kind(group, version, text("/spec/paramKind/kind"), run);
        Self { objects: kinds.into_iter().flatten().collect(), has_others, params }
    }
}

impl<'r> KnownKind<'r> {
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
        Some(Self { title: format!("`{kind}` of `{api_version}`"), schema })
    }

    /// The schema in a minor, or in the newest one that has the resource.
    fn resolve_schema(&self, minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
        match &self.schema {
            SchemaSource::BuiltIn(forms) => {
                let served = |minor: Minor| forms.iter().find(|form| form.minors.contains(minor));
                let mut minors = std::iter::once(minor).chain(Minor::newest_first());
                let (minor, form) = minors.find_map(|minor| Some((minor, served(minor)?)))?;
                resolve_schema(minor, form, is_wanted)
            }
            SchemaSource::Defined(version) => Some(complete_definition(version.schema, minor, is_wanted)),
        }
    }
}

/// The schema of a definition with the fields that every object has.
// apiextensions pkg/controller/openapi/builder/builder.go, buildKubeNative
fn complete_definition(schema: &Value, minor: Minor, is_wanted: &dyn Fn(&str) -> bool) -> Value {
    let mut schema = schema.clone();
    let metadata = resolve_metadata(minor, is_wanted);
    let open = schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool) == Some(true);
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
