//! Pages about resources that say themselves which rules they have: definitions and policies. A page has sections, a section
//! entries and rules, and each of them facts; what a resource is, a page does not know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::{Fact, Reference};
use super::name_groups::{MANY, group_by_beginning};
use super::text::{Source, Text};

/// The page of a version of a definition, or of a policy.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResourcePage {
    /// The heading on the index of all pages of the same sort.
    pub group: String,
    /// The heading within the group, such as the API group of a definition; unset if the group is not divided.
    pub part: Option<String>,
    /// The name of the resource, such as `ponds.example.com`.
    pub name: String,
    /// The heading of the page.
    pub title: String,
    /// The name of its page without extension: of `a-z`, `0-9`, `.`, `_` and `-`.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// Its contents in numbers, without a full stop.
    pub summary: Text,
    /// Its description by its author.
    pub description: Option<Text>,
    /// Single words for readers to notice first: `deprecated`, or the actions of a policy.
    pub badges: Vec<String>,
    /// The facts about it as a whole.
    pub facts: Vec<Fact>,
    /// Its location.
    pub source: Option<Source>,
    /// Its parts.
    pub sections: Vec<ResourceSection>,
}

impl ResourcePage {
    /// The number of its entries and rules.
    pub(crate) fn count_entries(&self) -> usize {
        self.sections.iter().map(|section| section.entries.len() + section.rules.len()).sum()
    }
}

/// A part of the page of a resource, such as the fields of an object.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResourceSection {
    /// The heading.
    pub title: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// Its description by its author.
    pub description: Option<Text>,
    /// True if only some readers need it, such as maintainers.
    #[serde(default)]
    pub is_folded: bool,
    /// The facts about it as a whole.
    pub facts: Vec<Fact>,
    /// The rules about it as a whole.
    pub rules: Vec<ResourceRule>,
    /// Its entries.
    pub entries: Vec<ResourceEntry>,
}

/// A field of a definition, or something named in a policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResourceEntry {
    /// The path of the field from the object, such as `spec.disks[].name`, or the name.
    pub name: String,
    /// The end of the path, from the object that has the field, such as `name`; empty if it is the whole name.
    pub short_name: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// The most important fact, which is shown with the name; of a field its type.
    pub summary: Option<Fact>,
    /// True if the object that has the field must have it.
    pub is_required: bool,
    /// The sections that describe the objects in it: itself, its items or its values.
    pub sections: Vec<Reference>,
    /// Its description by its author.
    pub description: Option<Text>,
    /// Everything else about it.
    pub facts: Vec<Fact>,
    /// The rules about it.
    pub rules: Vec<ResourceRule>,
}

/// A rule in CEL.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResourceRule {
    /// Its name among those of the same field or section: `Rule`, `Rule 2`.
    pub title: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// Its severity by its author: `error`, `warn` or `audit`; unset if its notation has none.
    pub severity: Option<String>,
    /// The facts about it.
    pub facts: Vec<Fact>,
}

/// Returns the pages by their groups, in the order in which the groups begin.
pub fn group_resources(pages: &[ResourcePage]) -> Vec<(&str, Vec<&ResourcePage>)> {
    let mut groups: Vec<(&str, Vec<&ResourcePage>)> = Vec::new();
    for page in pages {
        match groups.iter_mut().find(|(group, _)| *group == page.group) {
            Some((_, pages)) => pages.push(page),
            None => groups.push((&page.group, vec![page])),
        }
    }
    groups
}

/// Returns the pages of a group by their parts, in alphabetical order; if they have none, by what their names begin with; as one part
/// without a heading if they are few.
pub fn divide_group<'a>(pages: &[&'a ResourcePage]) -> Vec<(Option<&'a str>, Vec<&'a ResourcePage>)> {
    let mut parts: BTreeMap<Option<&str>, Vec<&ResourcePage>> = BTreeMap::new();
    for page in pages {
        parts.entry(page.part.as_deref()).or_default().push(page);
    }
    if parts.len() > 1 && pages.len() > MANY {
        return parts.into_iter().collect();
    }
    if parts.keys().any(Option::is_some) {
        return vec![(None, pages.to_vec())];
    }
    let names: Vec<&'a str> = pages.iter().map(|page| page.name.as_str()).collect();
    let of_group = |(title, members): (Option<&'a str>, Vec<usize>)| {
        (title, members.into_iter().filter_map(|index| pages.get(index).copied()).collect())
    };
    group_by_beginning(&names).into_iter().map(of_group).collect()
}
