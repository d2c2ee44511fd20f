//! The definitions of a file, each version prepared for objects.

use std::sync::{Arc, OnceLock};

use kvrules_apiserver::cost::review_with;
use kvrules_apiserver::definition::{ResourceVersion, drop_rule_fields};
use kvrules_apiserver::field_error::FieldError;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::server::ServerFeatures;
use kvrules_apiserver::structural::SchemaOptions;
use kvrules_crd::{KubernetesVersion, LocatedResource, ResourceKind, ResourceText, locate_resources};
use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_sources::{ParsedFile, VersionSchema, read_definition, with_documents};
use kvrules_syntax::{Document, Node};
use serde_json::Value;

use super::super::is_broken;

/// The CustomResourceDefinitions that objects are evaluated by.
#[derive(Debug)]
pub struct Definitions {
    /// The name of the file.
    file: String,
    versions: Vec<ServedVersion>,
    texts: Vec<ResourceText>,
}

/// One version of a definition.
#[derive(Debug)]
pub(crate) struct ServedVersion {
    resource: ResourceVersion,
    /// Its position in the definition.
    index: usize,
    server: ServerFeatures,
    /// Prepared when it is asked for: to describe or to compare rules needs no server.
    prepared: OnceLock<ObjectSchema>,
}

impl ServedVersion {
    /// The versions of a definition, in their order.
    fn of_definition(definition: &Arc<Value>, server: ServerFeatures) -> impl Iterator<Item = Self> {
        let versions = ResourceVersion::of_shared_definition(definition).into_iter().enumerate();
        versions.map(move |(index, resource)| Self { resource, index, server, prepared: OnceLock::new() })
    }

    /// The version as a server checks objects.
    pub(crate) fn schema(&self) -> &ObjectSchema {
        self.prepared.get_or_init(|| {
            let definition = &*self.resource.document;
            let listed = definition.pointer(&format!("/spec/versions/{}", self.index));
            let schema = listed.and_then(|listed| ObjectSchema::of_version(definition, listed));
            schema.unwrap_or_else(|| ObjectSchema::new(&self.resource.schema)).on_server(self.server)
        })
    }
}

/// The reason for the missing definition of an object.
pub(crate) struct UnknownDefinition {
    pub(crate) message: String,
    /// True if the kind is unknown, and not only the version.
    pub(crate) is_other_kind: bool,
}

impl Definitions {
    /// Reads all definitions in a file: several documents, lists, several versions. What a server would refuse is refused, with
    /// its words.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::Definitions};
    ///
    /// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {group: a.b, names: {kind: A}, \
    ///             versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: objekt}}}]}\n";
    /// let refused = Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", text)).unwrap_err();
    /// assert!(refused[0].message.contains("must be object at the root"), "{}", refused[0].message);
    /// ```
    pub fn read_definitions(source: &SourceFile) -> Result<Self, Vec<Diagnostic>> {
        Self::read_for_server(source, KubernetesVersion::NEWEST)
    }

    /// As [`Self::read_definitions`], for the server of a Kubernetes version.
    pub fn read_for_server(source: &SourceFile, version: KubernetesVersion) -> Result<Self, Vec<Diagnostic>> {
        with_documents(source, |file| Self::read_parsed(file, version))
    }

    /// As [`Self::read_for_server`], of a file that is parsed.
    pub fn read_parsed(file: &ParsedFile<'_>, version: KubernetesVersion) -> Result<Self, Vec<Diagnostic>> {
        let server = ServerFeatures::of_version(version);
        Self::read_with(file, server, &|_, version| find_schema_errors(version, server))
    }

    /// As [`Self::read_parsed`] for the newest server, which is known to accept the schemas that no template makes.
    pub fn read_accepted(file: &ParsedFile<'_>) -> Result<Self, Vec<Diagnostic>> {
        let server = ServerFeatures::of_version(KubernetesVersion::NEWEST);
        let find_errors = |resource: &LocatedResource<'_>, version: VersionSchema<'_>| {
            if resource.templates.is_empty() { Vec::new() } else { find_schema_errors(version, server) }
        };
        Self::read_with(file, server, &find_errors)
    }

    fn read_with(
        file: &ParsedFile<'_>,
        server: ServerFeatures,
        find_errors: &dyn Fn(&LocatedResource<'_>, VersionSchema<'_>) -> Vec<FieldError>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut versions, mut texts, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for document in &file.documents {
            if is_broken(document) {
                let span = document.problems().first().map(|problem| problem.span).unwrap_or_default();
                faults.push(Diagnostic::refused_input("schema", span, "this cannot be read"));
                continue;
            }
            for resource in locate_definitions(document) {
                match read_definition(&resource, &|version| find_errors(&resource, version)) {
                    Ok(value) => {
                        let value = Arc::new(value);
                        versions.extend(ServedVersion::of_definition(&value, server));
                        texts.push(ResourceText::new(ResourceKind::Definition, resource.node, value));
                    }
                    Err(errors) => faults.extend(errors),
                }
            }
        }
        if versions.is_empty() && faults.is_empty() {
            let message = "no CustomResourceDefinition in this file";
            faults.push(Diagnostic::refused_input("schema", Span::default(), message));
        }
        let file = file.source.name().to_owned();
        if faults.is_empty() { Ok(Self { file, versions, texts }) } else { Err(faults) }
    }

    /// Returns the kinds that a file has definitions of; empty if it cannot be read or contains anything else.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::Definitions};
    ///
    /// let text = "kind: CustomResourceDefinition\nspec: {names: {kind: Pond}}\n---\n\
    ///             kind: List\nitems: [{kind: CustomResourceDefinition, spec: {names: {kind: Lake}}}]\n";
    /// assert_eq!(Definitions::kinds_in(&SourceFile::new(FileId(0), "crds.yaml", text)), ["Pond", "Lake"]);
    /// ```
    pub fn kinds_in(source: &SourceFile) -> Vec<String> {
        let mut kinds = Vec::new();
        with_documents(source, |file| {
            for resource in file.documents.iter().flat_map(|document| locate_definitions(document)) {
                let names = resource.node.get("spec").and_then(|spec| spec.get("names"));
                let kind = names.and_then(|names| names.get("kind")).and_then(Node::as_str);
                kinds.push(kind.unwrap_or_default().to_owned());
            }
        });
        kinds
    }

    /// Returns these definitions and those of another file.
    ///
    /// ```
    /// use kvrules::eval::{Definitions, Engine, Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let definitions = |kind: &str| Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", format!(r#"
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// spec: {{group: example.com, names: {{kind: {kind}}}, versions: [{{name: v1, served: true, schema: {{openAPIV3Schema:
    ///   {{type: object, properties: {{depth: {{type: integer}}}}}}}}}}]}}
    /// "#))).unwrap();
    /// let definitions = Some(definitions("Pond").merged_with(definitions("Lake")).into());
    /// let mut evaluator = Evaluator::new(Options { engine: Engine::Crd, definitions, ..Options::default() });
    /// let lake = "apiVersion: example.com/v1\nkind: Lake\nmetadata: {name: a}\ndepth: deep\n";
    /// let answer = evaluator.evaluate_objects(&SourceFile::new(FileId(0), "lake.yaml", lake)).remove(0).crd.unwrap();
    /// assert_eq!((answer.errors[0].field.as_str(), answer.errors[0].at.line), ("depth", 4));
    /// ```
    #[must_use]
    pub fn merged_with(mut self, other: Self) -> Self {
        self.file = format!("{}, {}", self.file, other.file);
        self.versions.extend(other.versions);
        self.texts.extend(other.texts);
        self
    }

    /// Returns all versions, in their order.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::Definitions};
    ///
    /// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: ponds.a.b}\nspec: {group: a.b, \
    ///             names: {kind: Pond}, versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object}}}]}\n";
    /// let definitions = Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", text)).unwrap();
    /// assert_eq!(definitions.into_versions()[0].api_version(), "a.b/v1");
    /// ```
    pub fn into_versions(self) -> Vec<ResourceVersion> {
        self.versions.into_iter().map(|version| version.resource).collect()
    }

    /// Returns all versions, in their order, without taking them.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::Definitions};
    ///
    /// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: ponds.a.b}\nspec: {group: a.b, \
    ///             names: {kind: Pond}, versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object}}}]}\n";
    /// let definitions = Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", text)).unwrap();
    /// assert_eq!(definitions.iter_versions().next().unwrap().version, "v1");
    /// ```
    pub fn iter_versions(&self) -> impl Iterator<Item = &ResourceVersion> {
        self.versions.iter().map(|version| &version.resource)
    }

    /// Returns the definitions as values, with the locations of their rules.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, eval::Definitions};
    ///
    /// let text = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: ponds.a.b}\nspec: {group: a.b, \
    ///             names: {kind: Pond}, versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object}}}]}\n";
    /// let definitions = Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", text)).unwrap();
    /// assert_eq!(definitions.into_texts()[0].value["metadata"]["name"], "ponds.a.b");
    /// ```
    pub fn into_texts(self) -> Vec<ResourceText> {
        self.texts
    }

    /// True if a kind has a definition, in whatever version.
    pub(crate) fn has_kind(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.versions.iter().any(|version| version.resource.group == group && version.resource.kind == kind)
    }

    /// The version that an object is of.
    pub(crate) fn find_version(
        &self,
        api_version: &str,
        kind: &str,
    ) -> Result<&ServedVersion, UnknownDefinition> {
        let (group, name) = api_version.split_once('/').unwrap_or(("", api_version));
        let versions: Vec<_> = self
            .versions
            .iter()
            .filter(|it| it.resource.group == group && it.resource.kind == kind)
            .collect();
        let named = |version: &&&ServedVersion| version.resource.version == name;
        match versions.iter().find(named) {
            Some(version) if version.resource.is_served => Ok(version),
            Some(_) => Err(UnknownDefinition {
                message: format!("the version `{name}` of `{kind}` in `{group}` is not served"),
                is_other_kind: false,
            }),
            None if versions.is_empty() => Err(UnknownDefinition {
                message: format!(
                    "`{}` has no definition of `{kind}` in `{group}`; it has {}",
                    self.file,
                    self.kinds()
                ),
                is_other_kind: true,
            }),
            None => {
                let known: Vec<_> = versions.iter().map(|it| format!("`{}`", it.resource.version)).collect();
                let known = known.join(", ");
                let message = format!("`{kind}` in `{group}` has no version `{name}`; it has {known}");
                Err(UnknownDefinition { message, is_other_kind: false })
            }
        }
    }

    /// Returns the kinds that have definitions.
    pub(super) fn kinds(&self) -> String {
        let mut kinds: Vec<_> = self
            .versions
            .iter()
            .map(|it| format!("`{}` in `{}`", it.resource.kind, it.resource.group))
            .collect();
        kinds.dedup();
        kinds.join(", ")
    }
}

/// Returns the definitions in a document.
fn locate_definitions<'d>(document: &'d Document<'d>) -> impl Iterator<Item = LocatedResource<'d>> {
    locate_resources(document).into_iter().filter(|resource| resource.kind == Some(ResourceKind::Definition))
}

/// Returns the errors of a server about a schema.
fn find_schema_errors(version: VersionSchema<'_>, server: ServerFeatures) -> Vec<FieldError> {
    let VersionSchema { schema, prefix, has_status } = version;
    let options = SchemaOptions { has_status, server, ..SchemaOptions::default() };
    let report = review_with(&drop_rule_fields(schema, &server), prefix, &options);
    report.errors.into_iter().chain(report.rules.into_iter().flat_map(|rule| rule.errors)).collect()
}
