//! Changes since earlier versions, on the pages of rule sets, definitions, policies and RuleSets. The caller compares the versions.

use std::collections::HashMap;

use kvrules_pages::Text;
use kvrules_pages::document::{Document, SetChanges, SetPage};
use kvrules_pages::fact::{Fact, FactValue, FixedWords, Piece};
use kvrules_pages::fact_picture::{FactPicture, PictureChange, PictureDirection, PictureStep};
use kvrules_pages::names::to_file_stem;
use kvrules_pages::prose::Prose;
use kvrules_pages::resources::{ResourcePage, ResourceSection};

/// The effect of a change on the objects that are accepted.
pub type ChangeEffect = PictureDirection;

/// A version of the inputs, and what is different from the version before.
#[derive(Clone, Debug, Default)]
pub struct ChangedVersion {
    /// Its name, such as a revision.
    pub name: String,
    /// The changes of each resource that both versions have.
    pub changes: HashMap<ChangedResource, Vec<ResourceChange>>,
    /// The resources that the version before does not have.
    pub added: Vec<ChangedResource>,
}

/// A resource that has a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChangedResource {
    /// A version of a definition: `ponds.example.com/v1`.
    Definition(String),
    /// A policy by its name.
    Policy(String),
    /// A RuleSet by its name.
    RuleSet(String),
    /// The rules of a template by its name.
    Template(String),
}

/// A change of what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceChange {
    /// The effect.
    pub effect: ChangeEffect,
    /// Its place, such as `spec.depth`; empty for the whole object.
    pub place: String,
    /// The change in a few words.
    pub text: String,
}

/// Adds a section with the changes to each rule set and to each page of a resource. The first version is compared with nothing.
pub fn add_changes(document: &mut Document, versions: &[ChangedVersion]) {
    if versions.len() < 2 {
        return;
    }
    for page in &mut document.resources {
        if let Some(section) =
            changed_resource(page).map(|resource| changes_section(page, &resource, versions))
        {
            page.sections.insert(0, section);
        }
    }
    for set in &mut document.sets {
        let templates = set_templates(set);
        let facts = changes_facts(versions, |version| templates_history(&templates, version));
        set.changes = Some(SetChanges { title: changes_title(versions), facts });
    }
}

/// The templates that have the rules of a page.
fn set_templates(set: &SetPage) -> Vec<ChangedResource> {
    let users = set.used_by.iter().filter(|name| **name != set.name);
    std::iter::once(&set.name).chain(users).cloned().map(ChangedResource::Template).collect()
}

/// The changes of a resource in a version.
struct ResourceHistory<'v> {
    /// True if the version before does not have it.
    is_added: bool,
    changes: Vec<&'v ResourceChange>,
}

/// The changes of templates with the same rules: those of each, once.
fn templates_history<'v>(templates: &[ChangedResource], version: &'v ChangedVersion) -> ResourceHistory<'v> {
    let mut changes: Vec<&ResourceChange> = Vec::new();
    for change in templates.iter().filter_map(|template| version.changes.get(template)).flatten() {
        if !changes.contains(&change) {
            changes.push(change);
        }
    }
    let is_added = templates.iter().all(|template| version.added.contains(template));
    ResourceHistory { is_added, changes }
}

/// The resource that a page is about.
fn changed_resource(page: &ResourcePage) -> Option<ChangedResource> {
    match page.group.as_str() {
        "Custom resources" => Some(ChangedResource::Definition(page.anchor.clone())),
        "Admission policies" => Some(ChangedResource::Policy(page.name.clone())),
        "RuleSets" => Some(ChangedResource::RuleSet(page.name.clone())),
        _ => None,
    }
}

impl ChangedResource {
    /// Returns the resource of a kind that pages describe; `None` if they describe no such kind. Of a definition it is a version.
    pub fn of_kind(kind: &str, name: &str) -> Option<Self> {
        let name = name.to_owned();
        match kind {
            "schema" => Some(Self::Definition(name)),
            "RuleSet" => Some(Self::RuleSet(name)),
            "rule set" => Some(Self::Template(name)),
            "ValidatingAdmissionPolicy" => Some(Self::Policy(name)),
            _ => None,
        }
    }

    /// True if the page of one is about the other. Pages of definitions are known by their files.
    fn is_of_page(&self, page: &Self) -> bool {
        match (self, page) {
            (Self::Definition(name), Self::Definition(stem)) => {
                let (definition, version) = name.rsplit_once('/').unwrap_or((name, ""));
                to_file_stem(&format!("{definition}_{version}")) == *stem
            }
            _ => self == page,
        }
    }
}

fn changes_title(versions: &[ChangedVersion]) -> String {
    let first = versions.first().map(|version| version.name.as_str()).unwrap_or_default();
    format!("Changes since {first}")
}

fn changes_section(
    page: &ResourcePage,
    resource: &ChangedResource,
    versions: &[ChangedVersion],
) -> ResourceSection {
    let facts = changes_facts(versions, |version| {
        let is_added = version.added.iter().any(|added| added.is_of_page(resource));
        let found = version.changes.iter().filter(|(changed, _)| changed.is_of_page(resource));
        ResourceHistory { is_added, changes: found.flat_map(|(_, changes)| changes).collect() }
    });
    let anchor = free_anchor(page);
    ResourceSection {
        title: changes_title(versions),
        label: format!("{}-{anchor}", page.label),
        anchor,
        facts,
        ..ResourceSection::default()
    }
}

/// The changes of each version from the one in which a resource was added, and a timeline.
fn changes_facts<'v>(
    versions: &'v [ChangedVersion],
    history: impl Fn(&'v ChangedVersion) -> ResourceHistory<'v>,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut steps: Vec<PictureStep> = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let ResourceHistory { is_added, changes } = history(version);
        if is_added {
            steps.clear();
            facts.clear();
        }
        if index > 0 {
            facts.push(version_fact(version, is_added, &changes));
        }
        let changes = changes
            .iter()
            .map(|change| PictureChange { direction: change.effect, text: change_text(change) });
        steps.push(PictureStep { version: version.name.clone(), changes: changes.collect() });
    }
    if steps.len() > 1 {
        let line = vec![Piece::Picture(FactPicture::Timeline { steps })];
        facts.push(Fact { kind: "timeline".to_owned(), ..Fact::of_line("Timeline", line) });
    }
    facts
}

/// The changes of a version in words.
fn version_fact(version: &ChangedVersion, is_added: bool, changes: &[&ResourceChange]) -> Fact {
    let label = Prose::from(version.name.as_str());
    let words = |words: &'static str| FactValue::Line(vec![Piece::Words(words.into())]);
    let value = match changes {
        _ if is_added => words("new"),
        [] => words("accepts the same objects"),
        [change] => FactValue::Line(change_line(change)),
        changes => FactValue::List(changes.iter().map(|change| change_line(change)).collect()),
    };
    Fact { kind: "changes".to_owned(), ..Fact::of_value(&label, value) }
}

fn change_line(change: &ResourceChange) -> Vec<Piece> {
    let mut line = vec![Piece::Words(FixedWords::from_parts(&[change.effect.as_str(), ": "]))];
    if !change.place.is_empty() {
        line.extend([Piece::of_code(&change.place), Piece::Words(": ".into())]);
    }
    line.push(Piece::Text(Text::from_prose(&Prose::from(change.text.as_str()))));
    line
}

fn change_text(change: &ResourceChange) -> String {
    let place = if change.place.is_empty() { "the whole object" } else { &change.place };
    format!("{place}: {}", change.text)
}

/// An anchor that no part of the page has.
fn free_anchor(page: &ResourcePage) -> String {
    let of_sections = page.sections.iter().flat_map(|section| {
        let of_rules = section.rules.iter().chain(section.entries.iter().flat_map(|entry| &entry.rules));
        let of_entries = section.entries.iter().map(|entry| &entry.anchor);
        std::iter::once(&section.anchor).chain(of_entries).chain(of_rules.map(|rule| &rule.anchor))
    });
    let known: Vec<String> = of_sections.map(|anchor| anchor.to_ascii_lowercase()).collect();
    let names = std::iter::once("changes".to_owned()).chain((2..).map(|number| format!("changes-{number}")));
    let mut free = names.filter(|name| !known.contains(name));
    free.next().unwrap_or_default()
}
