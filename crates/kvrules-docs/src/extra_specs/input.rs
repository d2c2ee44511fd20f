//! Input of the pages about extra specs.

use kvrules_extra_specs::{Definition, Document, Entry};
use kvrules_pages::AuthorNotation;

use crate::places::RuleLocations;

/// Definitions that were written together.
#[derive(Clone, Copy, Debug)]
pub struct SpecLayer<'a> {
    /// The definitions.
    pub document: &'a Document,
    /// Markup of descriptions by their author.
    pub notation: AuthorNotation,
}

/// Input of the pages about extra specs.
#[derive(Clone, Copy, Debug)]
pub struct SpecPagesInput<'a> {
    /// The definitions, those that decide first first. Of several with one name the first counts.
    pub layers: &'a [SpecLayer<'a>],
    /// Locations of the definitions.
    pub places: RuleLocations<'a>,
    /// The version of kvrules.
    pub version: &'a str,
}

/// One entry, and what it stands for.
#[derive(Debug)]
pub(super) struct ExpandedEntry<'a> {
    pub(super) entry: &'a Entry,
    pub(super) notation: AuthorNotation,
    /// One definition, or those of a family.
    pub(super) definitions: Vec<Definition>,
}

impl ExpandedEntry<'_> {
    /// True if it stands for several names.
    pub(super) fn is_family(&self) -> bool {
        !self.entry.for_each.is_empty()
    }
}
