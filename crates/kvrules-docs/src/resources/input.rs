//! Input of the pages of resources.

use kvrules_crd::ResourceText;
use kvrules_pages::{AuthorNotation, Format};
use kvrules_rule_set::RuleSet;

use crate::places::RuleLocations;

/// Input of the pages about resources.
#[derive(Clone, Copy, Debug)]
pub struct ResourcePagesInput<'a> {
    /// The definitions, policies and bindings, in the order of the inputs.
    pub resources: &'a [ResourceText],
    /// The RuleSets, in the order of the inputs.
    pub rule_sets: &'a [&'a RuleSet],
    /// Locations of resources and rules.
    pub places: RuleLocations<'a>,
    /// Markup of descriptions and messages by authors.
    pub notation: AuthorNotation,
    /// The only format that descriptions are written in; `None` for all, as in data.
    pub format: Option<&'static Format>,
}

impl ResourcePagesInput<'_> {
    /// A message about a resource, with its file and line.
    pub(super) fn located_message(&self, text: &ResourceText, message: &str) -> String {
        let place = self.places.of(text.span.into());
        let place = place.map(|place| format!("{}:{}: ", place.file, place.line)).unwrap_or_default();
        format!("{place}{message}")
    }
}
