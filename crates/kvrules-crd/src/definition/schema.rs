//! Checks of one schema: structural rules, defaults, and constraints that cannot be intended.

use std::rc::Rc;

use kvrules_apiserver::field_error::{ErrorType, FieldError};
use kvrules_diagnostics::SourceFile;

use super::{DefinitionCheck, contradictions, int_or_string, rules, schema_messages, undeclared_fields};
use crate::schema_location::{PropertyIndex, SchemaLocation};
use crate::schema_review::{ROOT, ReviewedSchema, SchemaVersion};
use crate::schema_tree::SchemaTree;

/// Checks the schema of a version.
pub(super) fn check_schema(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    reviewed: &Rc<ReviewedSchema<'_>>,
    checked: &mut DefinitionCheck,
) {
    let root = SchemaLocation::root(version.node, Some(version.key));
    let mut index = PropertyIndex::default();
    for error in &reviewed.errors {
        let place = locate_error(&root, error, &mut index);
        // The server reports the type `null` twice. Only the error that names `nullable` is kept.
        let is_null =
            place.keyword == "type" && place.entry.is_some_and(|entry| entry.value.text() == "null");
        if is_null && error.error_type == ErrorType::NotSupported {
            continue;
        }
        // An entry that could not be read has a finding already; it is not missing.
        if !place.entry.is_some_and(|entry| version.dropped.contains(&entry.value.span())) {
            checked.findings.push(
                schema_messages::to_finding(error, &place).with_field(version.server_field(&error.field)),
            );
        }
    }
    let tree = SchemaTree::new(version.node, version.key);
    rules::check_rules(source, version, reviewed, &tree, checked);
    contradictions::check_contradictions(&tree, &mut checked.findings);
    undeclared_fields::check_undeclared_fields(&tree, &mut checked.findings);
    int_or_string::check_int_or_string(source, &tree, &mut checked.findings);
}

/// Returns the location of an error. A field that a branch mentions and nothing declares is reported at the branch.
fn locate_error<'d>(
    root: &SchemaLocation<'d>,
    error: &FieldError,
    index: &mut PropertyIndex<'d>,
) -> SchemaLocation<'d> {
    let field = match error.detail.strip_prefix("because it is defined in ") {
        Some(branch) => branch,
        None => &error.field,
    };
    root.clone().follow_by(field.strip_prefix(ROOT).unwrap_or_default(), index)
}
