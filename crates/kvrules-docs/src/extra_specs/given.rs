//! Input of the pages about extra specs.

use kvrules_emit::pages::Notation;
use kvrules_extra_specs::{Definition, Document, Entry};

use crate::places::Places;

/// Definitions that were written together.
#[derive(Clone, Copy, Debug)]
pub struct SpecLayer<'a> {
    /// The definitions.
    pub document: &'a Document,
    /// Markup of descriptions by their author.
    pub notation: Notation,
}

/// Input of the pages about extra specs.
#[derive(Clone, Copy, Debug)]
pub struct SpecsGiven<'a> {
    /// The definitions, those that decide first first. Of several with one name the first counts.
    pub layers: &'a [SpecLayer<'a>],
    /// Locations of the definitions.
    pub places: Places<'a>,
    /// The version of kvrules.
    pub version: &'a str,
}

/// One entry, and what it stands for.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) entry: &'a Entry,
    pub(super) notation: Notation,
    /// One definition, or those of a family.
    pub(super) definitions: Vec<Definition>,
}

impl Item<'_> {
    /// True if it stands for several names.
    pub(super) fn is_family(&self) -> bool {
        !self.entry.for_each.is_empty()
    }
}
