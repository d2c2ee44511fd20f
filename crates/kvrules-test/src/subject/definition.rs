//! A CustomResourceDefinition, compiled on its first use.

use kvrules_apiserver::cost::ReviewMemo;
use kvrules_apiserver::definition::review_definition_on;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::server::ServerFeatures;
use kvrules_cel::kubernetes::KubernetesVersion;
use kvrules_generate::{parse_place, place_text};
use kvrules_lift::{DefinitionRule, definition_rules};
use serde_json::Value;

use super::per_server::PerServer;
use super::{NamedRule, RuleOrigin};
use crate::document::{field, list_items, text_field};

/// A definition whose versions are compiled when the first object needs them.
#[derive(Debug)]
pub struct DefinitionSubject {
    /// The document.
    pub document: Value,
    /// Its origin.
    pub origin: RuleOrigin,
    /// The only version that is served, if the suite selects one.
    only_version: Option<String>,
    versions: Vec<(String, PerServer<Option<ObjectSchema>>)>,
    refusals: PerServer<Vec<String>>,
    /// False if the definition is taken as it is.
    is_reviewed: bool,
}

impl DefinitionSubject {
    /// Creates a subject; nothing is compiled yet.
    pub fn new(document: Value, origin: RuleOrigin) -> Self {
        let versions = list_items(field(field(&document, "spec"), "versions"));
        let versions = versions.map(|it| (text_field(it, "name").to_owned(), PerServer::new())).collect();
        Self { document, origin, only_version: None, versions, refusals: PerServer::new(), is_reviewed: true }
    }

    /// With one served version.
    #[must_use]
    pub fn with_only_version(mut self, version: &str) -> Self {
        self.only_version = Some(version.to_owned()).filter(|it| !it.is_empty());
        self
    }

    /// Returns the same definition with another document.
    #[must_use]
    pub fn with_document(&self, document: Value) -> Self {
        let only_version = self.only_version.clone();
        Self { only_version, ..Self::new(document, self.origin.clone()) }
    }

    /// Returns the definition with another document that is not reviewed.
    #[must_use]
    pub(crate) fn with_unreviewed(&self, document: Value) -> Self {
        Self { is_reviewed: false, ..self.with_document(document) }
    }

    /// True if the definition is of this kind.
    pub fn is_for(&self, api_version: &str, kind: &str) -> bool {
        let spec = field(&self.document, "spec");
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        text_field(spec, "group") == group && text_field(field(spec, "names"), "kind") == kind
    }

    /// Returns the schema of the version that an object names, on a server.
    pub fn find_schema(&self, api_version: &str, server: KubernetesVersion) -> Option<&ObjectSchema> {
        let name = api_version.rsplit('/').next().unwrap_or_default();
        if self.only_version.as_ref().is_some_and(|only| only != name) {
            return None;
        }
        let (_, schema) = self.versions.iter().find(|(version, _)| version == name)?;
        let compile = || {
            let version = self.find_version(name)?;
            let schema = ObjectSchema::of_version(&self.document, version)?;
            let is_newest = server == KubernetesVersion::NEWEST;
            Some(if is_newest { schema } else { schema.on_server(ServerFeatures::of_version(server)) })
        };
        schema.of_server(server)?.get_or_init(compile).as_ref()
    }

    /// Returns the entry of a version.
    pub(crate) fn find_version(&self, name: &str) -> Option<&Value> {
        let mut versions = list_items(field(field(&self.document, "spec"), "versions"));
        versions.find(|version| text_field(version, "name") == name)
    }

    /// Returns the reasons for which a server refuses the definition.
    pub fn list_refusals(&self, server: KubernetesVersion) -> &[String] {
        let review = || {
            let features = ServerFeatures::of_version(server);
            let review = review_definition_on(features, &self.document, None, &ReviewMemo::default());
            review.all_errors().iter().map(|it| format!("{}: {}", it.field, it.detail)).collect()
        };
        let cell = self.refusals.of_server(server).filter(|_| self.is_reviewed);
        cell.map_or(&[], |cell| cell.get_or_init(review))
    }

    /// Returns the versions that are tested, with their schemas.
    pub(crate) fn tested_versions(&self) -> Vec<(usize, &str, &Value)> {
        let versions = list_items(field(field(&self.document, "spec"), "versions")).enumerate();
        let is_tested = |name: &str| self.only_version.as_ref().is_none_or(|only| only == name);
        versions
            .filter_map(|(index, version)| {
                let schema = version.pointer("/schema/openAPIV3Schema")?;
                Some((index, text_field(version, "name"), schema))
            })
            .filter(|(_, name, _)| is_tested(name))
            .collect()
    }

    /// Returns the rules of all versions, by version.
    pub(crate) fn rules(&self) -> Vec<(usize, DefinitionRule<'static>)> {
        let versions = self.tested_versions().into_iter();
        versions
            .flat_map(|(index, _, schema)| definition_rules(schema).into_iter().map(move |it| (index, it)))
            .collect()
    }

    pub(super) fn named_rules(&self) -> Vec<NamedRule> {
        let mut named: Vec<NamedRule> = Vec::new();
        for (_, rule) in self.rules() {
            let name = definition_rule_name(&rule);
            if named.iter().any(|known| known.name == name) {
                continue;
            }
            let aliases =
                [rule.source.message, rule.source.rule].into_iter().filter(|it| !it.trim().is_empty());
            named.push(NamedRule { name, aliases: aliases.collect() });
        }
        named
    }

    /// True if a version declares the field at a path such as `spec.replicas`.
    pub(super) fn has_field(&self, path: &str) -> bool {
        !path.is_empty()
            && self.tested_versions().iter().any(|(_, _, schema)| parse_place(path, schema).is_some())
    }
}

/// Returns the name of a rule of a definition, as `kvrules explain --lift` has it.
pub(crate) fn definition_rule_name(rule: &DefinitionRule) -> String {
    let place = place_text(&rule.place);
    let separator = if place.is_empty() { "" } else { "." };
    format!("{place}{separator}x-kubernetes-validations[{}]", rule.index)
}
