//! CustomResourceDefinitions as the API server uses them: prune, fill in defaults, validate, run the rules.

use jsonschema::Validator;
use kvrules_apiserver::cost::review_with;
use kvrules_apiserver::crd::CompiledSchema;
use kvrules_apiserver::server::ServerFeatures;
use kvrules_apiserver::structural::SchemaOptions;
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_emit::OutputFile;
use kvrules_ir::Subject;
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Value, json};

use super::served::to_served;
use super::translate::SchemaOrigin;
use super::{RunContext, RunError, documents, lines, required, schema, structural};
use crate::claims::ObjectVerdict;
use crate::synthesise::{PlaceTree, SizeLimits};

/// A schema with its rules.
pub(crate) struct RuledSchema {
    schema: Value,
    validator: Validator,
    rules: CompiledSchema,
    /// Somebody's own definition, where the rules were put into one. What it refuses by itself is beyond them.
    original: Option<Box<RuledSchema>>,
}

/// Below this the VirtualMachine's schema leaves everything open, and rules see nothing of it: a fact of its CRD.
const HIDDEN: &[&[&str]] = &[&["spec", "template", "metadata"]];

impl RuledSchema {
    /// The version of the definition that the rules are about.
    pub(super) fn new(files: &[OutputFile], context: &RunContext<'_>) -> Result<Self, RunError> {
        let subject = context.request.subject;
        let file = files.first().ok_or_else(|| RunError("missing file".to_owned()))?;
        let schema = &schema_of(&file.path, &file.text, subject)?;
        let servers = context.request.servers;
        let newest = std::iter::once(KubernetesVersion::NEWEST);
        for version in newest.chain(servers.iter().filter(|version| *version != KubernetesVersion::NEWEST)) {
            accept_schema(schema, version)?;
        }
        let original = context.request.schema.map(|file| {
            let schema = schema_of(file.name(), file.text(), subject)?;
            Self::of(&schema, servers.oldest()).map(Box::new)
        });
        Ok(Self { original: original.transpose()?, ..Self::of(schema, servers.oldest())? })
    }

    /// Rules for the root of a schema that says only types.
    pub(super) fn of_rules(files: &[OutputFile], context: &RunContext<'_>) -> Result<Self, RunError> {
        let mut rules: Vec<Value> = Vec::new();
        for document in documents::parse_documents(files)? {
            let found = document.get(VALIDATIONS).or(document.as_array().map(|_| &document));
            let found = found.and_then(Value::as_array);
            rules.extend(found.ok_or_else(|| RunError("missing list of rules".to_owned()))?.iter().cloned());
        }
        let about: Vec<_> = context.set.rules.iter().collect();
        let hidden = if context.request.subject.is_virtual_machine() { HIDDEN } else { &[] };
        let mut schema = structural::structural_schema(&PlaceTree::of(&about), hidden);
        if let Some(root) = schema.as_object_mut() {
            root.insert(VALIDATIONS.to_owned(), json!(rules));
        }
        let servers = context.request.servers;
        for version in servers.iter() {
            accept_expressions(&schema, version)?;
        }
        Self::of(&schema, servers.oldest())
    }

    /// The schema on the oldest of the servers, which knows the least.
    fn of(schema: &Value, server: KubernetesVersion) -> Result<Self, RunError> {
        let schema = lines::drawn_near(schema);
        let validator = schema::compile_schema(&schema, SchemaOrigin::Definition)?;
        let rules = CompiledSchema::new(&schema).on_server(ServerFeatures::of_version(server));
        Ok(Self { schema, validator, rules, original: None })
    }

    /// Puts in what somebody's own definition requires.
    pub(super) fn complete(&self, object: &mut Value) {
        if self.is_extended() {
            required::add_required_fields(object, &self.schema);
        }
    }

    /// The lines that the schema draws.
    pub(super) fn lines(&self) -> SizeLimits {
        let mut lines = SizeLimits::default();
        lines::collect_lines(&self.schema, &mut lines);
        lines
    }

    /// True if it is an existing definition with the rules put in.
    pub(super) fn is_extended(&self) -> bool {
        self.original.is_some()
    }

    /// A definition can only reject. Rejections by the original definition do not count.
    pub(super) fn object_verdict(&self, object: &Value) -> Option<ObjectVerdict> {
        let is_refused = self.original.as_ref().is_some_and(|original| original.rejects(object));
        (!is_refused).then(|| ObjectVerdict { rejects: self.rejects(object), warns: false })
    }

    fn rejects(&self, object: &Value) -> bool {
        let object = to_served(object, &self.schema, true);
        !self.validator.is_valid(&object) || !self.rules.validate_object(&object, None).errors.is_empty()
    }
}

/// Fails if the server of a version rejects a schema or one of its rules.
fn accept_schema(schema: &Value, version: KubernetesVersion) -> Result<(), RunError> {
    let options = SchemaOptions { server: ServerFeatures::of_version(version), ..SchemaOptions::default() };
    let review = review_with(schema, "spec.validation", &options);
    let of_rules = review.rules.iter().flat_map(|rule| &rule.errors);
    match review.errors.iter().chain(of_rules).next() {
        Some(error) => Err(RunError(format!("the API server rejects it: {}: {}", error.field, error.detail))),
        None => Ok(()),
    }
}

/// Fails if an expression of the rules of a schema does not compile on the server of a version.
fn accept_expressions(schema: &Value, version: KubernetesVersion) -> Result<(), RunError> {
    let options = SchemaOptions { server: ServerFeatures::of_version(version), ..SchemaOptions::default() };
    let review = review_with(schema, "spec.validation", &options);
    // Without the bounds of a real schema, costs say nothing.
    let mut errors = review.rules.iter().flat_map(|rule| &rule.errors);
    match errors.find(|error| error.detail.contains("compilation failed")) {
        Some(error) => {
            Err(RunError(format!("Kubernetes {version} rejects it: {}: {}", error.field, error.detail)))
        }
        None => Ok(()),
    }
}

/// The schema that a file gives the version of a kind; without a definition of the kind, that of the first definition.
fn schema_of(name: &str, text: &str, subject: &Subject) -> Result<Value, RunError> {
    let documents = documents::as_served(name, text)?;
    let items = |document: &Value| match document.get("items").and_then(Value::as_array) {
        Some(items) => items.clone(),
        None => vec![document.clone()],
    };
    let all: Vec<Value> = documents.iter().flat_map(items).collect();
    let found = documents::of_kind(&all, "CustomResourceDefinition");
    let text = |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let is_own = |definition: &&&Value| {
        text(definition, "/spec/names/kind") == subject.kind
            && text(definition, "/spec/group") == subject.group
    };
    let definition = found.iter().find(is_own).or(found.first());
    let versions = definition.and_then(|definition| definition.pointer("/spec/versions")?.as_array());
    let named = |version: &&Value| subject.version.is_some() && text(version, "/name") == subject.version;
    let version = versions.and_then(|versions| versions.iter().find(named).or(versions.first()));
    let schema = version.and_then(|version| version.pointer("/schema/openAPIV3Schema"));
    schema.cloned().ok_or_else(|| RunError("no CustomResourceDefinition with a schema".to_owned()))
}
