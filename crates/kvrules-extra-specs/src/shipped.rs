//! The definitions of Nova, written down in our own words. The first line of the document says of which release.

use std::sync::OnceLock;

use kvrules_diagnostics::{FileId, Origin};

use crate::document::{Document, read_proven};

/// The text of the document.
pub const SHIPPED_YAML: &str = include_str!("../definitions/nova.yaml");

/// The document itself. Its definitions have no place in any file of a user's.
pub fn shipped_document() -> &'static Document {
    static SHIPPED: OnceLock<Document> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        // A test checks the document, so that no run has to do it again.
        let mut document = read_proven(FileId(0), SHIPPED_YAML);
        for entry in &mut document.definitions {
            entry.origin = Origin::default();
        }
        document
    })
}
