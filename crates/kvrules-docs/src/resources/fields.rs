//! The fields of a schema: a section for each object, and in it an entry for each of its fields.

use kvrules_apiserver::definition::keyword_value;
use kvrules_crd::ResourceText;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, FixedWords, Piece, Reference, ReferenceTarget};
use kvrules_pages::resources::{ResourceEntry, ResourceRule, ResourceSection};
use serde_json::Value as Json;

use super::descriptions::DescriptionTexts;
use super::field_facts::field_facts;
use super::field_type::{Number, has_properties, type_words};
use super::input::ResourcePagesInput;
use super::names::PageNames;
use super::rule_facts::RuleFacts;
use super::rule_index::RuleIndex;
use super::schema_place::SchemaPlace;
use super::values::{line_fact, text_of, texts_of, word_fact};

/// Facts that the pages of all definitions share.
#[derive(Debug)]
pub(super) struct SharedFacts<'a> {
    pub(super) rules: RuleIndex,
    pub(super) descriptions: DescriptionTexts<'a>,
}

/// Returns the sections of a schema, the object itself first. The rules of the index are those of the version of a number.
pub(super) fn schema_sections<'a>(
    text: &ResourceText,
    root: SchemaPlace<'a>,
    (shared, version): (&SharedFacts<'a>, usize),
    names: &mut PageNames,
    given: &ResourcePagesInput<'_>,
) -> Vec<ResourceSection> {
    let (anchor, label) = names.add_name("fields");
    let mut walk = FieldWalk { text, shared, version, given, names, sections: Vec::new() };
    walk.add_section(&SectionPlan { place: root, anchor, label, is_item: true });
    walk.sections
}

/// A section that is to be added.
struct SectionPlan<'a> {
    place: SchemaPlace<'a>,
    anchor: String,
    label: String,
    /// True if no entry describes the object itself.
    is_item: bool,
}

impl SectionPlan<'_> {
    fn reference(&self) -> Reference {
        Reference {
            to: ReferenceTarget::Resource,
            name: self.place.path.clone(),
            page: Some(String::new()),
            anchor: Some(self.anchor.clone()),
            label: Some(self.label.clone()),
        }
    }
}

struct FieldWalk<'a, 'g> {
    text: &'g ResourceText,
    shared: &'g SharedFacts<'a>,
    version: usize,
    given: &'g ResourcePagesInput<'g>,
    names: &'g mut PageNames,
    sections: Vec<ResourceSection>,
}

impl<'a> FieldWalk<'a, '_> {
    /// Adds the section of an object, and then those of the objects below it.
    fn add_section(&mut self, plan: &SectionPlan<'a>) {
        let place = &plan.place;
        let mut entries = Vec::new();
        let mut below = Vec::new();
        let required = texts_of(place.node, "/required");
        for (name, field) in place.properties() {
            let is_required = required.contains(&name.as_str());
            self.add_field(&field, (&place.path, is_required), &mut entries, &mut below);
        }
        // The root has its description on the page as a whole.
        let is_described = plan.is_item && !place.path.is_empty();
        let section = ResourceSection {
            title: section_title(&place.path),
            description: is_described.then(|| self.description(place.node)).flatten(),
            facts: if plan.is_item { object_facts(place.node, &entries) } else { Vec::new() },
            rules: self.rules(place),
            entries,
            anchor: plan.anchor.clone(),
            label: plan.label.clone(),
            is_folded: false,
        };
        self.sections.push(section);
        for plan in &below {
            self.add_section(plan);
        }
    }

    /// Adds the entry of a field and those of its items and values, and notes the sections of objects in it.
    fn add_field(
        &mut self,
        field: &SchemaPlace<'a>,
        (below_path, is_required): (&str, bool),
        entries: &mut Vec<ResourceEntry>,
        below: &mut Vec<SectionPlan<'a>>,
    ) {
        let (anchor, label) = self.names.add_name(&field.path);
        let at = entries.len();
        let start = below.len();
        let mut entry = ResourceEntry {
            name: field.path.clone(),
            short_name: field.short_name(below_path),
            summary: Some(type_fact(field.node)),
            is_required,
            anchor,
            label,
            description: self.description(field.node),
            facts: field_facts(field.node),
            ..ResourceEntry::default()
        };
        if has_properties(field.node) {
            below.push(self.plan_section(field, false));
        } else {
            entry.rules = self.rules(field);
        }
        entries.push(entry);
        field.inner_places().for_each(|inner| self.add_inner(&inner, below_path, entries, below));
        let sections = below.get(start..).unwrap_or_default();
        if let Some(entry) = entries.get_mut(at) {
            entry.sections = sections.iter().map(SectionPlan::reference).collect();
        }
    }

    /// Adds what is to be said of items or values: a section of objects, an entry if the type in words does not say all.
    fn add_inner(
        &mut self,
        inner: &SchemaPlace<'a>,
        below_path: &str,
        entries: &mut Vec<ResourceEntry>,
        below: &mut Vec<SectionPlan<'a>>,
    ) {
        if has_properties(inner.node) {
            below.push(self.plan_section(inner, true));
        } else {
            let (description, facts) = (self.description(inner.node), field_facts(inner.node));
            let has_rules = keyword_value(inner.node, VALIDATIONS).is_some();
            if description.is_some() || !facts.is_empty() || has_rules {
                let (anchor, label) = self.names.add_name(&inner.path);
                let rules = self.rules(inner);
                entries.push(ResourceEntry {
                    name: inner.path.clone(),
                    short_name: inner.short_name(below_path),
                    summary: Some(type_fact(inner.node)),
                    is_required: false,
                    sections: Vec::new(),
                    anchor,
                    label,
                    description,
                    facts,
                    rules,
                });
            }
        }
        inner.inner_places().for_each(|inner| self.add_inner(&inner, below_path, entries, below));
    }

    fn plan_section(&mut self, place: &SchemaPlace<'a>, is_item: bool) -> SectionPlan<'a> {
        let (anchor, label) = self.names.add_name(&format!("{}-fields", place.path));
        SectionPlan { place: place.clone(), anchor, label, is_item }
    }

    fn description(&self, node: &'a Json) -> Option<Text> {
        self.shared.descriptions.find_text(text_of(node, "/description"))
    }

    /// The rules that are enforced at a schema.
    fn rules(&mut self, place: &SchemaPlace<'_>) -> Vec<ResourceRule> {
        let found = self.shared.rules.find_rules(self.version, &place.pointer);
        let rule = |(index, facts): (usize, &RuleFacts)| {
            let pointer = format!("{}/x-kubernetes-validations/{index}", place.pointer);
            let span = self.text.find_span(&pointer);
            let source = span.and_then(|span| self.given.places.of(span.into()));
            let (anchor, label) = self.names.add_name(&rule_name(&place.path));
            ResourceRule {
                title: rule_title("Rule", index, found.len()),
                anchor,
                label,
                severity: None,
                facts: facts.at_location(source.as_ref()),
            }
        };
        found.iter().enumerate().map(rule).collect()
    }
}

/// The facts about an object that no entry describes.
fn object_facts(node: &Json, entries: &[ResourceEntry]) -> Vec<Fact> {
    let mut facts = field_facts(node);
    if entries.is_empty() {
        facts.insert(0, word_fact("fields", "Declared fields", "none"));
    }
    facts
}

fn rule_name(path: &str) -> String {
    if path.is_empty() { "rule".to_owned() } else { format!("{path}-rule") }
}

/// The title of one of several rules.
pub(super) fn rule_title(noun: &str, index: usize, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun} {} of {count}", index + 1) }
}

fn section_title(path: &str) -> String {
    if path.is_empty() { "Fields".to_owned() } else { format!("{path} fields") }
}

fn type_fact(node: &Json) -> Fact {
    let words = FixedWords::from_parts(&type_words(node, Number::One));
    line_fact("type", "Type", vec![Piece::Words(words)])
}
