//! A catalog from a schema: a CustomResourceDefinition, an OpenAPI document, or a schema by itself.
//!
//! First the kind of the file and the requested schema in it are found (`choose`). Then the schema is unfolded field by field
//! (`build`). Local references and `allOf` are followed on the way (`view`); a schema that contains itself ends in a
//! field of any type where it would begin again.

mod build;
mod choose;
mod declared;
mod default;
mod document;
mod keywords;
mod kubevirt;
mod metadata;
mod problem;
mod served;
mod types;
mod view;

use kvrules_diagnostics::SourceFile;
use kvrules_syntax::source_stream;

use super::{Catalog, Subject};

pub use declared::{DeclaredSchema, declared_schemas};
pub use problem::SchemaProblem;

/// The catalog of the schema that `choice` names, or of the only one.
pub(super) fn read_catalog(file: &SourceFile, choice: Option<&str>) -> Result<Catalog, Vec<SchemaProblem>> {
    let stream = source_stream(file);
    let chosen = choose::choose_schema(file, &stream.documents, choice)?;
    let nodes = build::build_nodes(&chosen)?;
    Ok(Catalog { subject: chosen.subject, nodes })
}

#[cfg(test)]
mod tests;
