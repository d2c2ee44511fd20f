//! Pages of RuleSets, definitions and policies: the facts about each rule, as readers see them.

use kvrules::crd::{ResourceText, read_policies};
use kvrules::docs::fact::{Fact, FactValue, Piece};
use kvrules::docs::{
    AuthorNotation, Grouping, PagesInput, ResourcePagesInput, RuleLocations, add_resource_pages, build_pages,
};
use kvrules::eval::Definitions;
use kvrules::rule_set::RuleSet;
use kvrules::{Request, Sources};

/// A rule on a page.
pub(crate) struct PageRule {
    pub(crate) title: String,
    pub(crate) facts: Vec<Fact>,
}

impl PageRule {
    /// The expression of the rule.
    pub(crate) fn expression(&self) -> Option<&str> {
        match &self.fact("cel")?.value {
            FactValue::Code(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn fact(&self, kind: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.kind == kind)
    }

    /// The object that the rule accepts, or rejects, and the stored one that it replaces, as they are written in YAML.
    pub(crate) fn sample(&self, kind: &str) -> Option<(String, Option<String>)> {
        match &self.fact(kind)?.value {
            FactValue::Code(code) => {
                let update =
                    code.strip_prefix("# stored\n").and_then(|rest| rest.split_once("\n# updated\n"));
                Some(match update {
                    Some((stored, object)) => (object.to_owned(), Some(stored.to_owned())),
                    None => (code.clone(), None),
                })
            }
            FactValue::Line(pieces) => match pieces.as_slice() {
                [Piece::Code(object)] => Some((object.clone(), None)),
                [Piece::Code(stored), _, Piece::Code(object)] => Some((object.clone(), Some(stored.clone()))),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns the rules on the page of a RuleSet.
pub(crate) fn rules_of_set(set: &RuleSet) -> Option<Vec<PageRule>> {
    rules_on_pages(&Sources::default(), &[], &[set])
}

/// Returns the rules on the pages of the definitions in a text.
pub(crate) fn rules_of_definitions(text: &str) -> Option<Vec<PageRule>> {
    let mut sources = Sources::default();
    let id = sources.add_file("pond.yaml", text);
    let resources = Definitions::read_definitions(sources.get(id)?).ok()?.into_texts();
    rules_on_pages(&sources, &resources, &[])
}

/// Returns the rules on the pages of the definitions and policies in a text.
pub(crate) fn rules_of_policies(text: &str) -> Option<Vec<PageRule>> {
    let mut sources = Sources::default();
    let id = sources.add_file("policy.yaml", text);
    // Without definitions there is an error, not an empty list.
    let read = Definitions::read_definitions(sources.get(id)?);
    let mut resources = read.map(Definitions::into_texts).unwrap_or_default();
    resources.extend(read_policies(sources.get(id)?));
    rules_on_pages(&sources, &resources, &[])
}

fn rules_on_pages(
    sources: &Sources,
    resources: &[ResourceText],
    rule_sets: &[&RuleSet],
) -> Option<Vec<PageRule>> {
    let places = RuleLocations { sources, link: None };
    let notation = AuthorNotation::Plain;
    let request = Request::for_virtual_machines(&[]);
    let pages = PagesInput { request, places, notation, grouping: Grouping::Set };
    let given = ResourcePagesInput { resources, rule_sets, places, notation, format: None };
    let mut document = build_pages(&pages).ok()?;
    add_resource_pages(&mut document, &given).ok()?;
    let sections = document.resources.iter().flat_map(|page| &page.sections);
    let rules = sections.flat_map(|section| {
        section.rules.iter().chain(section.entries.iter().flat_map(|entry| &entry.rules))
    });
    Some(rules.map(|rule| PageRule { title: rule.title.clone(), facts: rule.facts.clone() }).collect())
}
