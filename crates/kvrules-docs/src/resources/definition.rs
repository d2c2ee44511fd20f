//! The page of a version of a definition.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_crd::ResourceText;
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, NoticeLevel, Piece, Reference, ReferenceTarget};
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::{ResourcePage, ResourceSection};
use serde_json::Value as Json;

use crate::samples::{object_head, sample_objects};

use super::costs::costs_section;
use super::definition_targets::VersionClaims;
use super::fields::{SharedFacts, schema_sections};
use super::input::ResourcePagesInput;
use super::names::PageNames;
use super::rule_facts::source_fact;
use super::schema_place::SchemaPlace;
use super::values::{
    code_fact, is_true, items_of, join_codes, line_fact, list_fact, text_of, texts_of, word_fact, words_piece,
};

/// A served version of a definition.
#[derive(Debug)]
pub(super) struct VersionInput<'a> {
    pub(super) text: &'a ResourceText,
    pub(super) version: ResourceVersion,
    pub(super) stem: String,
    /// The other served versions: their names, and those of their pages.
    pub(super) others: Vec<(String, String)>,
}

impl VersionInput<'_> {
    fn definition(&self) -> &Json {
        &self.text.value
    }

    /// The schema of the objects.
    pub(super) fn schema_place(&self) -> SchemaPlace<'_> {
        let pointer = format!("/spec/versions/{}/schema/openAPIV3Schema", self.listed().0);
        SchemaPlace::of_object(&self.version.schema, pointer)
    }

    /// The position of the version in its definition, and its value.
    fn listed(&self) -> (usize, &Json) {
        let mut listed = items_of(self.definition(), "/spec/versions").enumerate();
        listed
            .find(|(_, listed)| text_of(listed, "/name") == self.version.version)
            .unwrap_or((0, &Json::Null))
    }
}

/// Returns the page of a version, whose rules are in the index under a number, and the claims of targets about them.
pub(super) fn version_page<'a>(
    input: &'a VersionInput<'_>,
    (shared, number): (&SharedFacts<'a>, usize),
    claims: &VersionClaims,
    given: &ResourcePagesInput<'_>,
) -> ResourcePage {
    let version = &input.version;
    let mut names = PageNames::of_page(&input.stem);
    let source = given.places.of(input.text.span.into());
    let mut facts = version_facts(input, given);
    facts.extend(source_fact(source.as_ref()));
    let mut sections = schema_sections(input.text, input.schema_place(), (shared, number), &mut names, given);
    let summary = Text::from_prose(&page_summary(&sections, input));
    if let Some(examples) = examples_section(input, &mut names) {
        sections.insert(0, examples);
    }
    // Estimating costs on all servers is a walk over the schema for each.
    if count_rules(&sections) > 0 {
        sections.extend(costs_section(&version.schema, &mut names));
        sections.extend(claims.targets_section(&mut names));
    }
    ResourcePage {
        group: "Custom resources".to_owned(),
        part: Some(text_of(input.definition(), "/spec/group").to_owned()).filter(|group| !group.is_empty()),
        name: version.definition.clone(),
        title: format!("{} ({})", version.kind, version.api_version()),
        label: names.page_label(),
        summary,
        description: shared.descriptions.find_text(text_of(&version.schema, "/description")),
        badges: is_true(input.listed().1, "deprecated")
            .then(|| "deprecated".to_owned())
            .into_iter()
            .collect(),
        facts,
        source,
        anchor: input.stem.clone(),
        sections,
    }
}

/// Objects that the server accepts.
fn examples_section(input: &VersionInput<'_>, names: &mut PageNames) -> Option<ResourceSection> {
    let version = &input.version;
    let head = object_head(&version.api_version(), &version.kind, version.is_namespaced);
    let samples = sample_objects(input.definition(), input.listed().1, &head);
    let fact = |kind: &str, label: &str, object: Option<Json>| {
        Some(code_fact(kind, label, kvrules_syntax::to_yaml(&object?).ok()?.trim_end()))
    };
    let minimal = fact("minimal-object", "Minimal object", samples.minimal);
    let full = fact("full-object", "Object with many fields", samples.full);
    let facts: Vec<Fact> = minimal.into_iter().chain(full).collect();
    if facts.is_empty() {
        return None;
    }
    let (anchor, label) = names.add_name("examples");
    let title = if facts.len() == 1 { "Example" } else { "Examples" };
    Some(ResourceSection { title: title.to_owned(), anchor, label, facts, ..ResourceSection::default() })
}

fn page_summary(sections: &[ResourceSection], input: &VersionInput<'_>) -> Prose {
    let fields = sections.iter().map(|section| section.entries.len()).sum();
    let deprecated = if is_true(input.listed().1, "deprecated") { ", deprecated" } else { "" };
    let fields = count_noun(fields, "field");
    Prose::from(format!("{fields}, {}{deprecated}", count_noun(count_rules(sections), "rule")))
}

fn count_rules(sections: &[ResourceSection]) -> usize {
    let entries = sections.iter().flat_map(|section| &section.entries).map(|entry| entry.rules.len());
    sections.iter().map(|section| section.rules.len()).chain(entries).sum()
}

/// The facts about a version as a whole.
fn version_facts(input: &VersionInput<'_>, given: &ResourcePagesInput<'_>) -> Vec<Fact> {
    let (version, listed) = (&input.version, input.listed().1);
    let mut facts: Vec<Fact> = deprecation_fact(listed).into_iter().collect();
    let code = |kind: &str, label: &str, code: &str| line_fact(kind, label, vec![Piece::of_code(code)]);
    facts.push(code("api-version", "API version", &version.api_version()));
    facts.push(code("kind", "Kind", &version.kind));
    facts.push(word_fact("scope", "Scope", if version.is_namespaced { "Namespaced" } else { "Cluster" }));
    facts.extend(name_facts(input.definition()));
    let storage = if is_true(listed, "storage") { "served, stored" } else { "served" };
    facts.push(word_fact("serving", "Version", storage));
    facts.extend(other_versions(input));
    facts.extend(subresource_fact(listed));
    facts.extend(columns_fact(listed, given));
    facts.extend(selectable_fact(listed));
    facts
}

fn deprecation_fact(listed: &Json) -> Option<Fact> {
    let warning = text_of(listed, "/deprecationWarning");
    let line = match (is_true(listed, "deprecated"), warning) {
        (false, _) => return None,
        (true, "") => vec![words_piece("this version will be removed")],
        (true, warning) => vec![Piece::Text(Text::from_prose(&Prose::from(warning)))],
    };
    let fact = line_fact("deprecation", "Deprecated", line);
    Some(fact.with_notice(Some(NoticeLevel::Warning)))
}

fn name_facts(definition: &Json) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (kind, label, pointer) in
        [("plural", "Plural", "/spec/names/plural"), ("singular", "Singular", "/spec/names/singular")]
    {
        let name = text_of(definition, pointer);
        if !name.is_empty() {
            facts.push(line_fact(kind, label, vec![Piece::of_code(name)]));
        }
    }
    for (kind, label, pointer) in [
        ("short-names", "Short names", "/spec/names/shortNames"),
        ("categories", "Categories", "/spec/names/categories"),
    ] {
        let names = texts_of(definition, pointer);
        if !names.is_empty() {
            facts.push(line_fact(kind, label, join_codes(&names, "and")));
        }
    }
    facts
}

/// The other versions: those that are served have pages.
fn other_versions(input: &VersionInput<'_>) -> Option<Fact> {
    let items = items_of(input.definition(), "/spec/versions").filter_map(|listed| {
        let name = text_of(listed, "/name");
        let page = input.others.iter().find(|(other, _)| other == name).map(|(_, stem)| stem.clone());
        let is_own = name == input.version.version;
        (!is_own).then(|| match page {
            Some(page) => vec![Piece::Reference(Reference {
                to: ReferenceTarget::Resource,
                name: name.to_owned(),
                label: Some(PageNames::of_page(&page).page_label()),
                page: Some(page),
                anchor: None,
            })],
            None => vec![Piece::of_code(name), words_piece(" (not served)")],
        })
    });
    let line = Piece::join_with(items, ", ");
    (!line.is_empty()).then(|| line_fact("versions", "Other versions", line))
}

fn subresource_fact(listed: &Json) -> Option<Fact> {
    let mut items = Vec::new();
    if listed.pointer("/subresources/status").is_some_and(Json::is_object) {
        items.push(vec![Piece::of_code("status")]);
    }
    if let Some(scale) = listed.pointer("/subresources/scale").filter(|scale| scale.is_object()) {
        let mut item = vec![Piece::of_code("scale")];
        for (words, pointer) in [
            (": replicas in ", "/specReplicasPath"),
            (", counted in ", "/statusReplicasPath"),
            (", selector in ", "/labelSelectorPath"),
        ] {
            let path = text_of(scale, pointer);
            if !path.is_empty() {
                item.extend([words_piece(words), Piece::of_code(path)]);
            }
        }
        items.push(item);
    }
    (!items.is_empty()).then(|| list_fact("subresources", "Subresources", items))
}

fn columns_fact(listed: &Json, given: &ResourcePagesInput<'_>) -> Option<Fact> {
    let items = items_of(listed, "/additionalPrinterColumns").map(|column| {
        let mut item = vec![Piece::of_code(text_of(column, "/name")), words_piece(" from ")];
        item.push(Piece::of_code(text_of(column, "/jsonPath")));
        // The default of `kubectl get` shows priority 0.
        if column.get("priority").and_then(Json::as_i64).is_some_and(|priority| priority > 0) {
            item.push(words_piece(", in wide output only"));
        }
        let description = text_of(column, "/description");
        if !description.trim().is_empty() {
            let description = Text::of_summary(description, given.notation);
            item.extend([words_piece(": "), Piece::Text(description)]);
        }
        item
    });
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then(|| list_fact("columns", "Printer columns", items))
}

fn selectable_fact(listed: &Json) -> Option<Fact> {
    let paths = items_of(listed, "/selectableFields").map(|field| text_of(field, "/jsonPath"));
    let paths: Vec<_> = paths.collect();
    (!paths.is_empty())
        .then(|| line_fact("selectable-fields", "Selectable fields", join_codes(&paths, "and")))
}
