//! Definitions that others take the place of.

use kvrules_syntax::Document;
use serde_json::Value;

use crate::json;
use crate::resource::{ResourceKind, resources};
use crate::shape;

/// Stored definitions, by their names.
#[derive(Clone, Debug, Default)]
pub struct OldDefinitions(Vec<Value>);

impl OldDefinitions {
    /// Adds the definitions in the documents of a file; how many there are.
    pub fn add(&mut self, documents: &[&Document<'_>]) -> usize {
        let before = self.0.len();
        for document in documents {
            let found = resources(document).into_iter().filter(|it| it.kind == ResourceKind::Definition);
            self.0.extend(found.filter_map(|resource| {
                let shaped = shape::check(resource.node, shape::DEFINITION);
                json::value(resource.node, &shaped.dropped)
            }));
        }
        self.0.len() - before
    }

    /// The definition that another takes the place of: the one with its name.
    pub(super) fn of(&self, document: &Value) -> Option<&Value> {
        let name = |document: &Value| document.pointer("/metadata/name").cloned();
        let wanted = name(document).filter(Value::is_string)?;
        self.0.iter().find(|old| name(old).as_ref() == Some(&wanted))
    }
}
