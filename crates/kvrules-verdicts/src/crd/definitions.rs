//! The definitions of a file, each version prepared for objects.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use kvrules_apiserver::cost::review_with;
use kvrules_apiserver::definition::{ResourceVersion, drop_rule_fields};
use kvrules_apiserver::field_error::FieldError;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::server::ServerFeatures;
use kvrules_apiserver::structural::SchemaOptions;
use kvrules_crd::{KubernetesVersion, ResourceKind, ResourceText};
use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_elaborate::object::{ParameterValues, process_object};
use kvrules_elaborate::template::Template;
use kvrules_syntax::Node;
use kvrules_syntax::kubernetes::find_field;
use kvrules_syntax::value::{NotJsonError, ValueReader};
use serde_json::Value;

use super::super::is_broken;
use kvrules_sources::with_documents;

/// Lists and templates within each other; more is not looked into.
const MAX_LISTS: usize = 8;

/// The CustomResourceDefinitions that objects are judged by.
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

/// Contents of a file.
#[derive(Default)]
struct FoundDefinitions {
    versions: Vec<ServedVersion>,
    texts: Vec<ResourceText>,
    faults: Vec<Diagnostic>,
    /// The server that they are read for.
    server: ServerFeatures,
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
        let server = ServerFeatures::of_version(version);
        let mut found = FoundDefinitions { server, ..FoundDefinitions::default() };
        with_documents(source, |file| {
            for document in &file.documents {
                if is_broken(document) {
                    let span = document.problems().first().map(|problem| problem.span).unwrap_or_default();
                    found.faults.push(to_diagnostic(span, "this cannot be read"));
                } else if let Some(root) = document.root() {
                    visit_definitions(root, &[], 0, &mut |node, templates| {
                        read_definition(node, templates, &mut found);
                    });
                }
            }
        });
        let FoundDefinitions { versions, texts, mut faults, .. } = found;
        if versions.is_empty() && faults.is_empty() {
            let message = "no CustomResourceDefinition in this file";
            faults.push(to_diagnostic(Span::default(), message));
        }
        let file = source.name().to_owned();
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
            for root in file.documents.iter().filter_map(|document| document.root()) {
                visit_definitions(root, &[], 0, &mut |node, _| {
                    let names = node.get("spec").and_then(|spec| spec.get("names"));
                    let kind = names.and_then(|names| names.get("kind")).and_then(Node::as_str);
                    kinds.push(kind.unwrap_or_default().to_owned());
                });
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

fn to_diagnostic(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::refused_input("schema", span, message)
}

/// Visits the definitions in an object, also those in lists and templates, with the templates around them.
fn visit_definitions<'d>(
    node: Node<'d>,
    templates: &[Template<'d>],
    depth: usize,
    visit: &mut dyn FnMut(Node<'d>, &[Template<'d>]),
) {
    match node.get("kind").and_then(Node::as_str).unwrap_or_default() {
        "CustomResourceDefinition" => visit(node, templates),
        _ if depth >= MAX_LISTS => {}
        list if list.ends_with("List") => {
            let items = node.get("items").into_iter().flat_map(Node::items);
            items.for_each(|item| visit_definitions(item, templates, depth + 1, visit));
        }
        _ => {
            let Some(template) = Template::new(node) else { return };
            let around = [templates, &[template]].concat();
            template.objects().for_each(|it| visit_definitions(it, &around, depth + 1, visit));
        }
    }
}

/// The value of a definition: in a template as it is processed, with the values that its parameters have there.
fn processed(node: Node<'_>, templates: &[Template<'_>]) -> Result<Value, NotJsonError> {
    match templates {
        [] => ValueReader::for_kubernetes().read_value(node),
        [template] => {
            process_object(*template, node, &ParameterValues::from_template(*template, &BTreeMap::new()))
        }
        _ => Err(NotJsonError {
            span: node.span(),
            message: "this definition is in a template of a template".to_owned(),
        }),
    }
}

fn read_definition(node: Node<'_>, templates: &[Template<'_>], found: &mut FoundDefinitions) {
    let FoundDefinitions { versions, texts, faults, server } = found;
    let api_version = node.get("apiVersion").and_then(Node::as_str).unwrap_or_default();
    if api_version != "apiextensions.k8s.io/v1" {
        let span = node.get("apiVersion").map_or(node.span(), Node::span);
        let message =
            format!("servers accept only definitions in `apiextensions.k8s.io/v1`, not in `{api_version}`");
        faults.push(to_diagnostic(span, message));
        return;
    }
    let value = match processed(node, templates) {
        Ok(value) => value,
        Err(error) => {
            faults.push(to_diagnostic(error.span, error.message));
            return;
        }
    };
    let before = faults.len();
    let listed =
        value.pointer("/spec/versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if listed.is_empty() {
        let span = find_field(node, "spec.versions").entry.value.span();
        faults.push(to_diagnostic(span, "missing `spec.versions` in this definition"));
    }
    let first = listed.first().and_then(version_schema);
    let several = listed.iter().any(|version| version_schema(version) != first);
    for (index, version) in listed.iter().enumerate() {
        let path = format!("spec.versions[{index}].schema");
        let Some(schema) = version_schema(version).filter(|schema| schema.is_object()) else {
            let span = find_field(node, &path).entry.value.span();
            faults.push(to_diagnostic(
                span,
                "missing `schema.openAPIV3Schema` in this version, which servers require",
            ));
            continue;
        };
        let prefix = if several { path.as_str() } else { "spec.validation" };
        if several || index == 0 {
            let refused = find_schema_errors(schema, prefix, has_status(version), *server);
            faults.extend(refused.into_iter().map(|error| {
                let field = error.field.strip_prefix(prefix).unwrap_or_default();
                let span = find_field(node, &format!("{path}{field}")).entry.value.span();
                to_diagnostic(
                    span,
                    format!("the API server rejects this definition: {}", describe_error(&error)),
                )
            }));
        }
    }
    if faults.len() == before {
        let listed = ResourceVersion::of_definition(&value).into_iter().enumerate();
        versions.extend(listed.map(|(index, resource)| ServedVersion {
            resource,
            index,
            server: *server,
            prepared: OnceLock::new(),
        }));
        texts.push(ResourceText::new(ResourceKind::Definition, node, value));
    }
}

fn version_schema(version: &Value) -> Option<&Value> {
    version.pointer("/schema/openAPIV3Schema")
}

fn has_status(version: &Value) -> bool {
    version.pointer("/subresources/status").is_some_and(Value::is_object)
}

/// Returns the errors of a server about a schema.
fn find_schema_errors(
    schema: &Value,
    prefix: &str,
    has_status: bool,
    server: ServerFeatures,
) -> Vec<FieldError> {
    let options = SchemaOptions { has_status, server, ..SchemaOptions::default() };
    let report = review_with(&drop_rule_fields(schema, &server), prefix, &options);
    report.errors.into_iter().chain(report.rules.into_iter().flat_map(|rule| rule.errors)).collect()
}

/// An error in one line: the field, and the first line of its message.
fn describe_error(error: &FieldError) -> String {
    let mut lines = error.detail.lines().map(str::trim).filter(|line| !line.is_empty());
    let kind = error.error_type.message_name();
    let detail = lines.next().map(|line| format!(": {line}")).unwrap_or_default();
    if error.field.is_empty() {
        format!("{kind}{detail}")
    } else {
        format!("`{}`: {kind}{detail}", error.field)
    }
}
