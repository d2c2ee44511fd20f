//! Objects that a schema may take, with something in particular at one place.

mod branches;
mod object_builder;
mod scalars;

use serde_json::Value;

use super::place::NodeStep;
use object_builder::ObjectBuilder;
use scalars::ScalarValues;

/// Required content of a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum ForcedContent<'f> {
    /// A value like this; of an empty list or object, any of that type.
    Like(&'f Value),
    /// This value.
    Exactly(&'f Value),
    /// An object with this field.
    With(&'f str),
    /// An object without this field.
    Without(&'f str),
    /// A list or a map with so many elements; of a map at least those that it must have.
    Count(usize),
    /// A list in which an element stands twice.
    DuplicateItem,
    /// Anything.
    Anything,
}

/// Values that expressions refer to.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpressionHints {
    pub(super) texts: Vec<String>,
    pub(super) integers: Vec<i64>,
    /// True if lists are tried in place of strings with a format: the server's schema accepts them, and its rules do
    /// not.
    pub(super) lists_for_texts: bool,
}

/// Makes objects.
#[derive(Debug, Default)]
pub(super) struct ObjectGenerator {
    scalars: ScalarValues,
}

impl ObjectGenerator {
    pub(super) fn with_hints(hints: ExpressionHints) -> Self {
        Self { scalars: ScalarValues::with_hints(hints) }
    }

    /// The `number`th object of a schema; the first have little in them. Nothing if the place cannot be.
    pub(super) fn build_object(
        &self,
        root: &Value,
        downs: &[NodeStep],
        force: ForcedContent<'_>,
        number: usize,
    ) -> Option<Value> {
        ObjectBuilder::new(&self.scalars, number).build_at(root, downs, force, 0)
    }
}
