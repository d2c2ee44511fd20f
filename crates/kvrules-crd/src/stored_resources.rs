//! Stored resources that those of other files take the place of.

use kvrules_syntax::Document;
use kvrules_syntax::value::request_value;
use serde_json::Value;

use crate::placeholders::Placeholders;
use crate::resource::{ResourceKind, find_resources};
use crate::shape;
use crate::templated::depends_on_parameters;

/// Stored definitions, policies and bindings, by their kinds and names.
#[derive(Clone, Debug, Default)]
pub struct StoredResources(Vec<(ResourceKind, Value)>);

impl StoredResources {
    /// Adds the resources in the documents of a file; returns how many there are.
    pub fn add_documents(&mut self, documents: &[&Document<'_>]) -> usize {
        let before = self.0.len();
        for document in documents {
            let found = find_resources(document);
            let placeholders = Placeholders::of(document, &found);
            // A parameter affects the resource, so its stored state is unknown.
            let known = found.iter().filter(|it| !depends_on_parameters(&placeholders, it.node));
            self.0.extend(known.filter_map(|resource| {
                let shaped = shape::check_shape(resource.node, shape::of_kind(resource.kind));
                Some((resource.kind, request_value(resource.node, &shaped.dropped)?))
            }));
        }
        self.0.len() - before
    }

    /// The number of resources in the documents of a file that take the place of stored ones.
    pub fn count_replaced(&self, documents: &[&Document<'_>]) -> usize {
        let mut others = Self::default();
        others.add_documents(documents);
        others.0.iter().filter(|(kind, document)| self.find_replaced(*kind, document).is_some()).count()
    }

    /// The resource that another takes the place of: the one of its kind with its name.
    pub(crate) fn find_replaced(&self, kind: ResourceKind, document: &Value) -> Option<&Value> {
        let name = |document: &Value| document.pointer("/metadata/name").cloned();
        let wanted = name(document).filter(Value::is_string)?;
        let is_old = |(of, old): &&(ResourceKind, Value)| *of == kind && name(old).as_ref() == Some(&wanted);
        self.0.iter().find(is_old).map(|(_, old)| old)
    }
}

/// A stored resource with what the server carries over from it, as if the document had come back from there.
// apiserver pkg/registry/rest/update.go, BeforeUpdate
pub(crate) fn as_stored(old: &Value, document: &Value) -> Value {
    let mut old = old.clone();
    let generation = document.pointer("/metadata/generation").cloned().unwrap_or_else(|| 0.into());
    if let Some(metadata) = old.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["generation", "uid", "namespace"] {
            metadata.shift_remove(name);
            if let Some(value) = document.pointer(&format!("/metadata/{name}")) {
                metadata.insert(name.to_owned(), value.clone());
            }
        }
        metadata.insert("generation".to_owned(), generation);
    }
    old
}
