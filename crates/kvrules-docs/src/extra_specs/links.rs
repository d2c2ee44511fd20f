//! Links to the descriptions of extra specs, so that others can refer to them.

use std::collections::{HashMap, HashSet};

use kvrules_pages::extra_specs::{SpecLink, SpecMember};
use kvrules_pages::names::{to_file_stem, unique_stem};

use super::input::ExpandedEntry;

/// Location of the description of one entry.
#[derive(Clone, Debug)]
pub(super) struct SpecLocation {
    pub(super) page: String,
    pub(super) anchor: String,
    pub(super) label: String,
    /// The anchors of a family's names.
    pub(super) members: Vec<SpecMember>,
}

/// Every name with its place.
#[derive(Debug, Default)]
pub(super) struct SpecLinks {
    places: HashMap<String, SpecLink>,
    anchors: HashMap<String, HashSet<String>>,
    labels: HashSet<String>,
}

impl SpecLinks {
    /// Gives an entry a place on a page.
    pub(super) fn add(&mut self, item: &ExpandedEntry<'_>, page: &str) -> SpecLocation {
        let taken = self.anchors.entry(page.to_owned()).or_default();
        let anchor = unique_stem(&name_anchor(&item.entry.name), taken);
        let label = unique_stem(&format!("kvrules-extra-spec-{anchor}"), &mut self.labels);
        let mut members = Vec::new();
        for definition in item.definitions.iter().filter(|_| item.is_family()) {
            let anchor = unique_stem(&name_anchor(&definition.name), taken);
            members.push(SpecMember { name: definition.name.clone(), anchor });
        }
        let place = SpecLocation { page: page.to_owned(), anchor, label, members };
        self.remember(item, &place);
        place
    }

    fn remember(&mut self, item: &ExpandedEntry<'_>, place: &SpecLocation) {
        let own = (item.entry.name.as_str(), place.anchor.as_str());
        let members = place.members.iter().map(|member| (member.name.as_str(), member.anchor.as_str()));
        for (name, anchor) in std::iter::once(own).chain(members) {
            self.places.entry(name.to_owned()).or_insert_with(|| SpecLink {
                name: name.to_owned(),
                page: Some(place.page.clone()),
                anchor: Some(anchor.to_owned()),
                label: Some(place.label.clone()),
            });
        }
    }

    /// A reference to a name, which may be described nowhere.
    pub(super) fn to(&self, name: &str) -> SpecLink {
        let nowhere = || SpecLink { name: name.to_owned(), page: None, anchor: None, label: None };
        self.places.get(name).cloned().unwrap_or_else(nowhere)
    }
}

/// A name as an anchor: as a part of a file name, with one dash where several would stand.
fn name_anchor(name: &str) -> String {
    let parts = to_file_stem(name);
    let parts = parts.split('-').map(|part| part.trim_matches('.'));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
