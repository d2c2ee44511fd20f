//! Subjects: the kind of object that a RuleSet is about, with its schema.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_apiserver::definition::{AuthoredObjects, DOCUMENT_FIELD, ResourceVersion, WrittenSubresource};
use kvrules_diagnostics::suggest_nearest;
use kvrules_elaborate::catalog::{StructuralDetail, virtual_machine_schema};
use kvrules_generate::{PlaceStep, without_rules};
use kvrules_ir::Subject;
use kvrules_kubernetes::types::{
    BuiltInResource, Minor, WrittenFields, drop_requirements, find_kind, find_resources, kubernetes_groups,
    resolve_quantities, resolve_schema,
};
use serde_json::{Value as Json, json};

use crate::defaulted::DefaultFiller;
use crate::document_types::DocumentSchema;
use crate::shape::keep_common_fields;
use crate::unknown_subject::UnknownSubject;

/// The kind of object that rules are about.
#[derive(Clone, Debug)]
pub struct RuleSubject {
    /// The version that the rules are about. Its schema has no rules of its own.
    pub version: ResourceVersion,
    /// The schema as rules see it, with the names of the metadata.
    pub schema: Json,
    /// The definition of the kind, if it has one.
    pub definition: Option<Json>,
    /// The objects that rules are about.
    pub objects: AuthoredObjects,
    /// True if the fields are those of the catalog of VirtualMachines.
    is_virtual_machine: bool,
    /// The built-in resource.
    built_in: Option<&'static BuiltInResource>,
    /// The schema of documents.
    documents: Option<DocumentSchema>,
    /// Reads objects with the defaults of the definition.
    pub(crate) defaults: DefaultFiller,
}

impl RuleSubject {
    /// Finds a kind whose fields are known without a definition: one that Kubernetes itself serves, or the VirtualMachines of KubeVirt.
    ///
    /// # Errors
    ///
    /// It is another kind.
    pub fn find_known(
        api_version: &str,
        kind: &str,
        mentioned: &BTreeSet<&str>,
    ) -> Result<Self, UnknownSubject> {
        let machine = Subject::virtual_machine();
        let (group, version) = split_api_version(api_version);
        let is_machine = machine.group.as_deref() == Some(group) && machine.kind.as_deref() == Some(kind);
        let found = if is_machine { Self::virtual_machine(version, mentioned) } else { None };
        found.map_or_else(|| Self::built_in(api_version, kind, mentioned), Ok)
    }

    /// Finds the kind that Kubernetes itself serves. The schema has only the fields with the names that `mentioned` has: the whole
    /// schema of a kind may be very large.
    ///
    /// # Errors
    ///
    /// Kubernetes does not serve it.
    pub fn built_in(
        api_version: &str,
        kind: &str,
        mentioned: &BTreeSet<&str>,
    ) -> Result<Self, UnknownSubject> {
        let (group, version) = split_api_version(api_version);
        let found =
            Minor::newest_first().find_map(|minor| Some((minor, find_kind(minor, group, version, kind)?)));
        let Some((minor, resource)) = found else { return Err(unknown_kind(api_version, kind)) };
        let always = ["apiVersion", "kind", "metadata", "name", "generateName"];
        let is_wanted = |name: &str| always.contains(&name) || mentioned.contains(name);
        let complete = |schema: Option<Json>| {
            let mut schema = schema.unwrap_or_else(|| json!({"type": "object"}));
            drop_requirements(&mut schema);
            if let Some(fields) = schema.as_object_mut() {
                fields.insert("required".to_owned(), json!(["apiVersion", "kind", "metadata"]));
            }
            schema
        };
        // The format is for the words alone: engines of JSON Schema do not know it.
        let schema = complete(resolve_quantities(minor, resource, &is_wanted));
        let declared = complete(resolve_schema(minor, resource, &is_wanted));
        let version = ResourceVersion {
            definition: if group.is_empty() {
                resource.plural.to_owned()
            } else {
                format!("{}.{group}", resource.plural)
            },
            group: group.to_owned(),
            version: version.to_owned(),
            plural: resource.plural.to_owned(),
            kind: kind.to_owned(),
            is_namespaced: resource.is_namespaced,
            is_served: true,
            subresources: written_subresources(resource),
            schema: declared.into(),
            document: Arc::default(),
            authored: None,
        };
        Ok(Self { built_in: Some(resource), ..Self::new(version, schema, AuthoredObjects::OfVersion) })
    }

    /// The VirtualMachines of KubeVirt, whose fields are known without a definition. The schema has only the fields with the names that
    /// `mentioned` has.
    pub fn virtual_machine(version: &str, mentioned: &BTreeSet<&str>) -> Option<Self> {
        let subject = Subject::virtual_machine();
        let (kind, plural) = (subject.kind.clone()?, subject.resource.clone()?);
        let group =
            subject.group.clone().filter(|_| subject.served.iter().any(|served| served == version))?;
        let always = ["apiVersion", "kind", "metadata", "name", "generateName", "spec"];
        let is_wanted = |name: &str| always.contains(&name) || mentioned.contains(name);
        let schema = |names_quantities| {
            with_metadata_names(virtual_machine_schema(StructuralDetail {
                is_wanted: &is_wanted,
                names_quantities,
            }))
        };
        let status = WrittenSubresource {
            name: "status".to_owned(),
            fields: vec!["status".to_owned()],
            shows_object: true,
            is_evaluated: false,
        };
        let resource = ResourceVersion {
            definition: format!("{plural}.{group}"),
            group,
            version: version.to_owned(),
            plural,
            kind,
            is_namespaced: true,
            is_served: true,
            subresources: vec![status],
            schema: schema(false).into(),
            document: Arc::default(),
            authored: None,
        };
        let own = Self::new(resource, schema(true), AuthoredObjects::OfVersion);
        Some(Self { is_virtual_machine: true, ..own })
    }

    /// A subject without a definition.
    pub(crate) fn new(version: ResourceVersion, schema: Json, objects: AuthoredObjects) -> Self {
        Self {
            version,
            schema,
            definition: None,
            objects,
            is_virtual_machine: false,
            built_in: None,
            documents: None,
            defaults: DefaultFiller::default(),
        }
    }

    pub(crate) fn with_documents(self, documents: DocumentSchema) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// Finds the kind among definitions.
    ///
    /// # Errors
    ///
    /// No definition has the kind or the version.
    pub fn of_definitions<'a>(
        definitions: impl IntoIterator<Item = &'a Json>,
        api_version: &str,
        kind: &str,
    ) -> Result<Self, UnknownSubject> {
        let mut known = Vec::new();
        for definition in definitions {
            for version in ResourceVersion::of_definition(definition) {
                if version.api_version() == api_version && version.kind == kind {
                    let bare = without_rules(&version.schema);
                    let schema = with_metadata_names(bare.clone());
                    let version = ResourceVersion { schema: bare.into(), ..version };
                    let own = Self::new(version, schema, AuthoredObjects::OfVersion);
                    return Ok(Self { definition: Some(definition.clone()), ..own });
                }
                known.push(format!("`{}` in `{}`", version.kind, version.api_version()));
            }
        }
        let message = format!("unknown kind `{kind}` in `{api_version}`");
        let help = if known.is_empty() {
            "no CustomResourceDefinition was given".to_owned()
        } else {
            format!("the definitions have {}", known.join(", "))
        };
        Err(UnknownSubject { message, help: Some(help) })
    }

    /// Finds the storage version of the only definition.
    ///
    /// # Errors
    ///
    /// There are several definitions, or none of the versions is stored.
    pub(crate) fn of_only_definition(definitions: &[Json]) -> Result<Self, UnknownSubject> {
        let [definition] = definitions else {
            let message = "the file has several definitions".to_owned();
            let help = Some("add the `apiVersion` and `kind` of the subject".to_owned());
            return Err(UnknownSubject { message, help });
        };
        let versions = definition.pointer("/spec/versions").and_then(Json::as_array);
        let is_stored = |version: &&Json| version.get("storage") == Some(&Json::Bool(true));
        let stored = versions.into_iter().flatten().find(is_stored).and_then(|version| version.get("name"));
        let stored = stored.and_then(Json::as_str).unwrap_or_default();
        let found = ResourceVersion::of_definition(definition).into_iter().find(|it| it.version == stored);
        let unstored =
            || UnknownSubject { message: "the definition has no storage version".to_owned(), help: None };
        let version = found.ok_or_else(unstored)?;
        Self::of_definitions(definitions, &version.api_version(), &version.kind)
    }

    /// True if Kubernetes itself serves the kind.
    pub fn is_built_in(&self) -> bool {
        self.built_in.is_some()
    }

    /// True if the rules are about JSON documents.
    pub fn is_of_documents(&self) -> bool {
        self.objects == AuthoredObjects::Documents
    }

    /// Returns the subject as if the documents were objects of a kind, for proofs about rules without fields such as `metadata`.
    #[must_use]
    pub fn documents_as_objects(&self) -> Self {
        let version = ResourceVersion { schema: self.schema.clone().into(), ..self.version.clone() };
        Self { version, objects: AuthoredObjects::OfVersion, documents: None, ..self.clone() }
    }

    /// True if the rules are about objects of this kind. A document may be anything.
    pub fn is_for(&self, api_version: &str, kind: &str) -> bool {
        match self.objects {
            AuthoredObjects::OfVersion => {
                self.version.api_version() == api_version && self.version.kind == kind
            }
            AuthoredObjects::OfAnyKind => !api_version.is_empty() && !kind.is_empty(),
            AuthoredObjects::Documents => true,
        }
    }

    /// Returns what the rules are about of an object of the version: of a document, the document.
    pub fn evaluated_object(&self, object: Json) -> Json {
        match object {
            Json::Object(mut fields) if self.is_of_documents() => {
                fields.shift_remove(DOCUMENT_FIELD).unwrap_or_default()
            }
            object => object,
        }
    }

    /// The place in the schema of the version for one in the schema as rules see it.
    pub(crate) fn place_in_version(&self, place: &[PlaceStep]) -> Vec<PlaceStep> {
        let field = self.is_of_documents().then(|| PlaceStep::Field(DOCUMENT_FIELD.to_owned()));
        field.into_iter().chain(place.iter().cloned()).collect()
    }

    /// Returns the schema with all fields, for suggestions.
    pub(crate) fn whole_schema(&self) -> Json {
        if let Some(documents) = &self.documents {
            return documents.whole_schema().unwrap_or_else(|| self.schema.clone());
        }
        if self.is_virtual_machine {
            let detail = StructuralDetail { is_wanted: &|_| true, names_quantities: true };
            return with_metadata_names(virtual_machine_schema(detail));
        }
        let whole = self.built_in.and_then(|resource| {
            Minor::newest_first().find_map(|minor| resolve_quantities(minor, resource, &|_| true))
        });
        let mut whole = whole.unwrap_or_else(|| self.schema.clone());
        if self.objects == AuthoredObjects::OfAnyKind {
            keep_common_fields(&mut whole);
        }
        whole
    }
}

/// The group and the version of an `apiVersion`.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}

fn unknown_kind(api_version: &str, kind: &str) -> UnknownSubject {
    let (group, version) = split_api_version(api_version);
    let in_group: Vec<_> = find_resources(group).collect();
    let message = format!("Kubernetes does not serve the kind `{kind}` in `{api_version}`");
    let help = if in_group.is_empty() {
        let home =
            kubernetes_groups().into_iter().flat_map(find_resources).find(|resource| resource.kind == kind);
        match home {
            Some(resource) => format!("it is in `{}`", resource.api_version()),
            None => "for a custom resource, name the file with its definition: `schema: FILE` here, or `--schema FILE`"
                .to_owned(),
        }
    } else if let Some(other) = in_group.iter().find(|resource| resource.kind == kind) {
        format!("did you mean `{}`?", other.api_version())
    } else {
        let kinds =
            in_group.iter().filter(|resource| resource.version == version).map(|resource| resource.kind);
        suggest_nearest(kind, kinds).unwrap_or_else(|| format!("`{api_version}` has no such kind"))
    };
    UnknownSubject { message, help: Some(help) }
}

/// The schema with the names of `metadata`, which rules of definitions see in every object.
// apiextensions schema/cel/model, WithTypeAndObjectMeta
fn with_metadata_names(mut schema: Json) -> Json {
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return schema };
    for name in ["apiVersion", "kind"] {
        properties.entry(name.to_owned()).or_insert_with(|| json!({"type": "string"}));
    }
    let metadata = properties.entry("metadata".to_owned()).or_insert_with(|| json!({"type": "object"}));
    if let Some(metadata) = metadata.as_object_mut() {
        let names = metadata.entry("properties".to_owned()).or_insert_with(|| json!({}));
        for name in ["name", "generateName"] {
            if let Some(names) = names.as_object_mut() {
                names.entry(name.to_owned()).or_insert_with(|| json!({"type": "string"}));
            }
        }
    }
    if let Some(fields) = schema.as_object_mut() {
        let required = fields.entry("required".to_owned()).or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut().filter(|names| !names.contains(&json!("metadata"))) {
            required.push("metadata".into());
        }
    }
    schema
}

/// Returns the subresources of a resource that Kubernetes itself serves; none for another.
pub fn built_in_subresources(group: &str, version: &str, plural: &str) -> Vec<WrittenSubresource> {
    let is_it = |it: &&BuiltInResource| it.version == version && it.plural == plural;
    let in_minor = |minor| find_resources(group).find(|it| is_it(it) && it.minors.contains(minor));
    Minor::newest_first().find_map(in_minor).map(written_subresources).unwrap_or_default()
}

/// The subresources of a built-in resource; for which of them rules are evaluated depends on the rules.
pub(crate) fn written_subresources(resource: &BuiltInResource) -> Vec<WrittenSubresource> {
    let written = |written: WrittenFields| WrittenSubresource {
        name: written.subresource.to_owned(),
        fields: written.fields.into_iter().map(str::to_owned).collect(),
        shows_object: written.shows_object,
        is_evaluated: false,
    };
    resource.written_fields().into_iter().map(written).collect()
}
