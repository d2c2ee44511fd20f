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

/// Numbers that look as if by chance, and are the same in every run.
#[derive(Debug)]
pub(super) struct PseudoRandom(u64);

impl PseudoRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below `most`.
    pub(super) fn random_below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % most.max(1)
    }
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
