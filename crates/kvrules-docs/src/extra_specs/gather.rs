//! The document: namespaces, and in each what is defined.

use std::collections::{BTreeMap, HashSet};

use kvrules_extra_specs::{Definition, Document};
use kvrules_pages::Text;
use kvrules_pages::extra_specs::{SpecGroup, SpecsDocument};
use kvrules_pages::names::{to_file_stem, unique_stem};
use kvrules_pages::prose::count_noun;
use rayon::prelude::*;

use super::claims::SpecClaims;
use super::input::{ExpandedEntry, SpecLayer, SpecPagesInput};
use super::links::{SpecLinks, SpecLocation};
use super::page::spec_page;

/// The pages about extra specs.
pub fn extra_spec_pages(given: &SpecPagesInput<'_>) -> SpecsDocument {
    let items = remaining_entries(given.layers);
    let all: Vec<Definition> = items.iter().flat_map(|item| item.definitions.iter().cloned()).collect();
    let claims = SpecClaims::of(&all);
    let mut groups: BTreeMap<(bool, &str), Vec<&ExpandedEntry<'_>>> = BTreeMap::new();
    for item in &items {
        let group = item.definitions.first().and_then(Definition::group).unwrap_or_default();
        groups.entry((group.is_empty(), group)).or_default().push(item);
    }
    let mut taken = HashSet::from(["index".to_owned()]);
    let mut links = SpecLinks::default();
    let mut on_pages = Vec::new();
    for ((_, name), mut items) in groups {
        items.sort_by(|one, other| one.entry.name.cmp(&other.entry.name));
        let stem = if name.is_empty() { "without-namespace".to_owned() } else { to_file_stem(name) };
        let page = unique_stem(&stem, &mut taken);
        let places: Vec<SpecLocation> = items.iter().map(|item| links.add(item, &page)).collect();
        on_pages.push((name.to_owned(), page, items, places));
    }
    let groups = on_pages.into_iter().map(|(name, page, items, places)| {
        let number = items.iter().map(|item| item.definitions.len()).sum();
        let paired: Vec<_> = items.into_iter().zip(places).collect();
        let specs = paired.into_par_iter();
        SpecGroup {
            title: if name.is_empty() { "without namespace".to_owned() } else { name.clone() },
            name,
            anchor: page,
            summary: Text::from_prose(&count_noun(number, "extra spec").into()),
            specs: specs.map(|(item, place)| self::spec_page(item, place, &links, &claims, given)).collect(),
        }
    });
    let groups: Vec<SpecGroup> = groups.collect();
    let namespaces = groups.iter().filter(|group| !group.name.is_empty()).count();
    let overview = match (count_noun(all.len(), "extra spec"), namespaces) {
        (specs, 0) => format!("{specs}."),
        (specs, namespaces) => format!("{specs} in {}.", count_noun(namespaces, "namespace")),
    };
    SpecsDocument { version: given.version.to_owned(), overview: Text::from_prose(&overview.into()), groups }
}

/// The entries with what is left of them when names that were defined before are taken out.
fn remaining_entries<'a>(layers: &[SpecLayer<'a>]) -> Vec<ExpandedEntry<'a>> {
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for layer in layers {
        for entry in &layer.document.definitions {
            let mut definitions = Document::new(vec![entry.clone()]).expand_definitions();
            definitions.retain(|definition| seen.insert(definition.name.clone()));
            if !definitions.is_empty() {
                items.push(ExpandedEntry { entry, notation: layer.notation, definitions });
            }
        }
    }
    items
}
