//! Definitions and policies of the files of a run, which expressions, bindings and parameters of other files refer to.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_apiserver::policy::{RESTATED_FROM, restated_definition};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_syntax::Document;
use kvrules_syntax::value::request_value;
use serde_json::Value;

use crate::bindings::{KnownPolicies, KnownPolicy};
use crate::placeholders::Placeholders;
use crate::resource::{ResourceKind, find_resources};
use crate::resource_text::ResourceText;
use crate::shape;

/// The definitions and policies of the files of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResources {
    /// By the name of the resource and the API group.
    definitions: BTreeMap<(String, String), Value>,
    pub(crate) policies: KnownPolicies,
    /// The versions whose servers definitions are for.
    pub(crate) versions: KubernetesVersions,
    /// True if warnings about the sense of rules, which take most of a check, are left out.
    pub(crate) is_for_errors: bool,
    /// True if findings about the sense of rules have their proofs.
    pub(crate) explains_proofs: bool,
}

/// Returns the definitions in the documents of a file as they are written: template tags and parameters in them are text.
pub fn read_definition_values(documents: &[&Document<'_>]) -> Vec<Value> {
    let resources = documents.iter().flat_map(|document| find_resources(document));
    let definitions = resources.filter(|resource| resource.kind == ResourceKind::Definition);
    let read = definitions.filter_map(|resource| {
        let shaped = shape::check_shape(resource.node, shape::of_kind(resource.kind));
        request_value(resource.node, &shaped.dropped)
    });
    read.collect()
}

/// A version of a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinedVersion<'r> {
    pub(crate) kind: &'r str,
    pub(crate) schema: &'r Value,
    pub(crate) is_namespaced: bool,
}

impl RunResources {
    /// With the Kubernetes versions that definitions are for; else it is the newest.
    #[must_use]
    pub fn with_versions(self, versions: KubernetesVersions) -> Self {
        Self { versions, ..self }
    }

    /// For a run that only reports errors: no check of a definition looks for warnings about the sense of its rules, which take longest.
    #[must_use]
    pub fn for_errors(self) -> Self {
        Self { is_for_errors: true, ..self }
    }

    /// With the proofs of findings about the sense of rules, which take longer to make.
    #[must_use]
    pub fn with_proofs(self, explains_proofs: bool) -> Self {
        Self { explains_proofs, ..self }
    }

    /// True if proofs are shown.
    pub fn explains_proofs(&self) -> bool {
        self.explains_proofs
    }

    /// Adds the definitions and policies in the documents of a file. A definition that template tags or parameters affect is left
    /// out, because its schema is unknown.
    pub fn add_documents(&mut self, documents: &[&Document<'_>]) {
        for document in documents {
            let found = find_resources(document);
            let placeholders = Placeholders::of(document, &found);
            for resource in &found {
                match resource.kind {
                    ResourceKind::Policy => {
                        self.policies.add_policy(KnownPolicy::from_node(resource.node));
                        let own = resource.node.get(RESTATED_FROM).and_then(|it| it.get("definition"));
                        self.add_definition(own.and_then(|own| request_value(own, &BTreeSet::new())));
                    }
                    ResourceKind::Definition if placeholders.is_empty() => {
                        let shaped = shape::check_shape(resource.node, shape::of_kind(resource.kind));
                        self.add_definition(request_value(resource.node, &shaped.dropped));
                    }
                    ResourceKind::Definition | ResourceKind::Binding => {}
                }
            }
        }
    }

    /// The definitions among resources that have been read.
    ///
    /// ```
    /// assert!(kvrules_crd::RunResources::of_resources(&[]).is_empty());
    /// ```
    pub fn of_resources(resources: &[ResourceText]) -> Self {
        let mut run = Self::default();
        let definitions = resources.iter().filter(|it| it.kind == ResourceKind::Definition);
        definitions.for_each(|it| run.add_definition(Some(Value::clone(&it.value))));
        let restated = resources.iter().filter_map(|it| restated_definition(&it.value));
        restated.for_each(|definition| run.add_definition(Some(definition.clone())));
        run
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.policies.is_empty()
    }

    /// Returns the definitions.
    pub fn definitions(&self) -> impl Iterator<Item = &Value> {
        self.definitions.values()
    }

    fn add_definition(&mut self, definition: Option<Value>) {
        let text = |pointer| definition.as_ref()?.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        if let (Some(plural), Some(group)) = (text("/spec/names/plural"), text("/spec/group")) {
            self.definitions.extend(definition.map(|definition| ((plural, group), definition)));
        }
    }

    /// The version of the definition of a resource.
    pub(crate) fn find_resource(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Option<DefinedVersion<'_>> {
        let definition = self.definitions.get(&(plural.to_owned(), group.to_owned()))?;
        find_version(definition, version)
    }

    /// The version of the definition of a kind.
    pub(crate) fn find_kind(&self, group: &str, version: &str, kind: &str) -> Option<DefinedVersion<'_>> {
        let is_meant = |definition: &&Value| {
            let text = |pointer| definition.pointer(pointer).and_then(Value::as_str);
            text("/spec/group") == Some(group) && text("/spec/names/kind") == Some(kind)
        };
        find_version(self.definitions.values().find(is_meant)?, version)
    }
}

fn find_version<'r>(definition: &'r Value, version: &str) -> Option<DefinedVersion<'r>> {
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array)?;
    let is_meant = |it: &&Value| it.get("name").and_then(Value::as_str) == Some(version);
    let schema = versions.iter().find(is_meant)?.pointer("/schema/openAPIV3Schema")?;
    let is_namespaced = definition.pointer("/spec/scope").is_some_and(|scope| scope == "Namespaced");
    Some(DefinedVersion { kind: definition.pointer("/spec/names/kind")?.as_str()?, schema, is_namespaced })
}
