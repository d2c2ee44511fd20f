//! Subjects that no CustomResourceDefinition declares: documents of a JSON Schema, and objects of any kind.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_apiserver::definition::{
    AuthoredObjects, DOCUMENT_FIELD, RequestSelection, ResourceVersion, WrittenSubresource,
};
use kvrules_kubernetes::types::{BuiltInResource, find_resources, kubernetes_groups};
use serde_json::{Value as Json, json};

use crate::document_types::{DocumentSchema, document_types};
use crate::schema_reference::SchemaDocument;
use crate::shape::keep_common_fields;
use crate::subject::{RuleSubject, written_subresources};
use crate::unknown_subject::UnknownSubject;

/// Levels below the last step of a path: a list has a type only if its items have one.
const LEVELS_OF_ITEMS: usize = 3;

/// Levels to which fields are read at most.
const MOST_LEVELS: usize = 40;

impl RuleSubject {
    /// Finds the schema of documents in a JSON Schema or OpenAPI file. The schema has only the fields with the names that `mentioned`
    /// has, so many steps deep.
    ///
    /// # Errors
    ///
    /// The file has no such schema, or several.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use kvrules_rule_set::RuleSubject;
    /// use serde_json::json;
    ///
    /// let file = Arc::new(json!({"properties": {"port": {"type": "integer"}, "host": {"type": "string"}}}));
    /// let subject = RuleSubject::of_documents(&file, "server.json", None, &["port"].into(), 1).unwrap();
    /// assert_eq!(subject.schema["properties"], json!({"port": {"type": "integer"}}));
    /// assert!(RuleSubject::of_documents(&file, "server.json", Some("Server"), &["port"].into(), 1).is_err());
    /// ```
    pub fn of_documents(
        file: &Arc<Json>,
        name: &str,
        component: Option<&str>,
        mentioned: &BTreeSet<&str>,
        steps: usize,
    ) -> Result<Self, UnknownSubject> {
        let source = SchemaDocument::new(file);
        let schema = source.find_schema(name, component)?;
        let is_wanted = |name: &str| is_mentioned(name, mentioned);
        let levels = (steps + LEVELS_OF_ITEMS).min(MOST_LEVELS);
        let schema = document_types(&source, schema, &is_wanted, levels)
            .ok_or_else(|| UnknownSubject { message: format!("`{name}` is too large"), help: None })?;
        let schema_name = component.and_then(|component| component.rsplit('/').next());
        let stem = name.rsplit(['/', '\\']).next().unwrap_or(name).split('.').next().unwrap_or(name);
        let kind = schema_name.unwrap_or(stem).to_owned();
        let version = ResourceVersion {
            definition: kind.clone(),
            group: "kvrules.dev".to_owned(),
            version: "v1".to_owned(),
            plural: "documents".to_owned(),
            kind,
            is_namespaced: false,
            is_served: true,
            subresources: Vec::new(),
            schema: json!({"type": "object", "required": [DOCUMENT_FIELD], "properties": {DOCUMENT_FIELD: schema}})
                .into(),
            document: Arc::default(),
            authored: None,
        };
        let documents = DocumentSchema::new(file, component);
        Ok(Self::new(version, schema, AuthoredObjects::Documents).with_documents(documents))
    }

    /// Objects of any kind, of which rules see the fields that all have. The version is that of ConfigMaps.
    ///
    /// # Errors
    ///
    /// There are no ConfigMaps, which does not happen.
    pub fn of_any_kind(mentioned: &BTreeSet<&str>) -> Result<Self, UnknownSubject> {
        let mut any = Self::built_in("v1", "ConfigMap", mentioned)?;
        keep_common_fields(&mut any.schema);
        keep_common_fields(&mut any.version.schema);
        any.objects = AuthoredObjects::OfAnyKind;
        Ok(any)
    }
}

impl RuleSubject {
    /// Makes the first of the selected resources the one that stands for objects of any kind.
    pub(crate) fn stand_for_selected(&mut self, selection: Option<&RequestSelection>) {
        if self.objects == AuthoredObjects::OfAnyKind {
            self.version.subresources = subresources_of_any(selection);
        }
        let Some((group, plural)) = selection.and_then(|it| it.resources.first()) else { return };
        let is_selected = |resource: &&BuiltInResource| plural == "*" || resource.plural == plural;
        let version = &mut self.version;
        if let Some(found) = find_resources(group).find(|resource| is_selected(resource)) {
            found.version.clone_into(&mut version.version);
            found.kind.clone_into(&mut version.kind);
            found.plural.clone_into(&mut version.plural);
            version.is_namespaced = found.is_namespaced;
        } else {
            "v1".clone_into(&mut version.version);
            "Any".clone_into(&mut version.kind);
            version.plural = if plural == "*" { "examples".to_owned() } else { plural.clone() };
        }
        version.group.clone_from(group);
    }
}

/// The subresources of the selected resources, or of all: of their fields those of the metadata, which all objects have.
fn subresources_of_any(selection: Option<&RequestSelection>) -> Vec<WrittenSubresource> {
    let resources = selection.map(|selection| selection.resources.as_slice()).unwrap_or_default();
    let is_selected = |resource: &BuiltInResource| {
        let fits = |own: &str, selected: &String| selected == "*" || selected == own;
        let mut selected = resources.iter();
        resources.is_empty()
            || selected.any(|(group, plural)| fits(resource.group, group) && fits(resource.plural, plural))
    };
    let mut found: Vec<WrittenSubresource> = Vec::new();
    for resource in kubernetes_groups().into_iter().flat_map(find_resources).filter(|it| is_selected(it)) {
        for mut written in written_subresources(resource) {
            written.fields.retain(|field| field.starts_with("metadata."));
            match found.iter_mut().find(|known| known.name == written.name) {
                Some(known) => {
                    let other = written.fields.into_iter().filter(|field| !known.fields.contains(field));
                    let other: Vec<_> = other.collect();
                    known.fields.extend(other);
                }
                None if written.fields.is_empty() => {}
                None => found.push(written),
            }
        }
    }
    found
}

/// True if a name, or all words in it, are mentioned: strings are split at signs.
fn is_mentioned(name: &str, mentioned: &BTreeSet<&str>) -> bool {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$';
    mentioned.contains(name)
        || name.split(is_end).filter(|word| !word.is_empty()).all(|word| mentioned.contains(word))
}
