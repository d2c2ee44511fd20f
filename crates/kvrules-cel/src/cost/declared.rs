//! The sizes that the schema of a rule declares.

use crate::types::{Type, TypeDeclaration};

use super::path::ValuePath;
use super::size::SizeRange;

/// Looks up sizes, starting at the value that the rule is on.
// apiextensions schema/cel/compilation.go, sizeEstimator.EstimateSize
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredSizes<'a>(pub(super) &'a TypeDeclaration);

impl DeclaredSizes<'_> {
    /// The size of the value at a path. The first step is ignored: for any variable, the rest is a path from the
    /// value that the rule is on.
    pub(super) fn size_at(self, path: &ValuePath) -> Option<SizeRange> {
        let steps = path.steps();
        let (_, steps) = steps.split_first()?;
        let mut decl = self.0;
        for (index, step) in steps.iter().enumerate() {
            decl = match step.as_ref() {
                "@items" | "@values" => decl.element_declaration()?,
                // Keys are strings without a declared maximum length, and have no nodes below them.
                "@keys" if matches!(decl.ty, Type::Map(..)) => {
                    return (index + 1 == steps.len()).then_some(SizeRange::up_to(0));
                }
                field => decl.field_declaration(field)?,
            };
        }
        Some(SizeRange::up_to(decl.max_elements))
    }
}
