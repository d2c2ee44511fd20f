//! Completes metadata as the server does before it validates: adds some fields and removes others.

use serde_json::Value as Json;

use super::{ResourceScope, text_field};

/// Completes metadata: a name is generated, an update gets what the stored object has, and an object of the cluster loses
/// its namespace.
// apiserver registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace; registry/rest/update.go, BeforeUpdate;
// handlers/create.go; storage/names/generate.go
pub(crate) fn complete_metadata(metadata: &mut Json, stored: Option<&Json>, scope: ResourceScope) {
    let (name, prefix) =
        (text_field(metadata, "name").to_owned(), text_field(metadata, "generateName").to_owned());
    let Some(metadata) = metadata.as_object_mut() else { return };
    // Managed fields are the server's own business; what a client sends of them is no error.
    // managedfields/internal/fieldmanager.go, Update
    metadata.shift_remove("managedFields");
    if name.is_empty() && !prefix.is_empty() {
        metadata.insert("name".to_owned(), generated_name(&prefix).into());
    }
    for filled in ["uid", "namespace"] {
        let value = stored.map(|stored| text_field(stored, filled)).unwrap_or_default();
        if !value.is_empty() {
            metadata.entry(filled).or_insert_with(|| value.into());
        }
    }
    if scope == ResourceScope::Cluster {
        metadata.shift_remove("namespace");
    }
}

/// The bytes of `generateName` that go into a name.
// storage/names/generate.go: 63 characters, less five random ones
const PREFIX_LENGTH: usize = 58;

/// A name that the server generates ends in five random characters, for which `xxxxx` stands.
fn generated_name(prefix: &str) -> String {
    let end =
        prefix.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= PREFIX_LENGTH).last();
    format!("{}xxxxx", prefix.get(..end.unwrap_or_default()).unwrap_or_default())
}
