//! The page of a policy.

use kvrules_apiserver::policy::{Policy, PolicyEngine, PolicyExpression, RESTATED_FROM, restated_kind};
use kvrules_crd::{ResourceKind, ResourceText, RunResources, policy_subjects};
use kvrules_pages::Text;
use kvrules_pages::document::Source;
use kvrules_pages::fact::{Fact, Piece, Reference, ReferenceTarget};
use kvrules_pages::prose::{Prose, count_noun};
use kvrules_pages::resources::{ResourceEntry, ResourcePage, ResourceRule, ResourceSection};
use serde_json::Value as Json;

use super::bindings::{actions_fact, all_actions, binding_entry};
use super::fields::rule_title;
use super::input::ResourcePagesInput;
use super::matching::match_facts;
use super::names::PageNames;
use super::policy_samples::validation_samples;
use super::policy_targets::targets_section;
use super::rule_facts::{policy_meaning_fact, source_fact};
use super::values::{code_fact, items_of, join_codes, line_fact, text_of, texts_of, word_fact, words_piece};

/// A policy with its bindings.
#[derive(Debug)]
pub(super) struct PolicyInput<'a> {
    pub(super) text: &'a ResourceText,
    pub(super) name: String,
    pub(super) stem: String,
    pub(super) bindings: Vec<&'a ResourceText>,
    /// The page of the kind of its parameters, if that is a definition among the inputs.
    pub(super) params_page: Option<String>,
}

impl PolicyInput<'_> {
    /// The entries of a list of the specification, with their locations.
    fn listed<'a>(
        &'a self,
        list: &'static str,
        given: &'a ResourcePagesInput<'_>,
    ) -> impl Iterator<Item = (&'a Json, Option<Source>)> {
        items_of(&self.text.value, &format!("/spec/{list}")).enumerate().map(move |(index, entry)| {
            let span = self.text.find_span(&format!("/spec/{list}/{index}"));
            (entry, span.and_then(|span| given.places.of(span.into())))
        })
    }
}

/// Returns the page of a policy.
pub(super) fn policy_page(input: &PolicyInput<'_>, given: &ResourcePagesInput<'_>) -> ResourcePage {
    let mut names = PageNames::of_page(&input.stem);
    let source = given.places.of(input.text.span.into());
    let mut facts = policy_facts(input);
    facts.extend(notation_facts(input, given));
    let is_restated = restated_kind(&input.text.value).is_some();
    let actions = all_actions(&input.bindings);
    if !input.bindings.is_empty() {
        facts.insert(0, actions_fact("effect", "Violations", &actions));
    }
    if input.bindings.is_empty() {
        facts.push(word_fact(
            "bindings",
            "Bindings",
            "none among the inputs; without one a policy has no effect",
        ));
    }
    facts.extend(source_fact(source.as_ref()));
    let sections = [
        validations_section(input, given, &mut names),
        named_section(
            ("Match conditions", "matchConditions", ["name", "expression"]),
            input,
            given,
            &mut names,
        ),
        named_section(("Variables", "variables", ["name", "expression"]), input, given, &mut names),
        named_section(
            ("Audit annotations", "auditAnnotations", ["key", "valueExpression"]),
            input,
            given,
            &mut names,
        ),
        bindings_section(input, given, &mut names).filter(|_| !is_restated),
        targets_section((input.text, &input.bindings), given, &mut names),
    ];
    let validations = count_noun(items_of(&input.text.value, "/spec/validations").count(), "validation");
    let bindings = match restated_kind(&input.text.value) {
        Some(kind) => kind.to_owned(),
        None => count_noun(input.bindings.len(), "binding"),
    };
    ResourcePage {
        group: "Admission policies".to_owned(),
        part: None,
        title: if input.name.is_empty() { "(no name)".to_owned() } else { input.name.clone() },
        name: input.name.clone(),
        label: names.page_label(),
        summary: Text::from_prose(&Prose::from(format!("{validations}, {bindings}"))),
        description: None,
        badges: actions.iter().map(|action| action.to_lowercase()).collect(),
        facts,
        source,
        anchor: input.stem.clone(),
        sections: sections.into_iter().flatten().collect(),
    }
}

/// The facts about a policy of another engine: its kind, and the controllers for which the engine generates policies.
fn notation_facts(input: &PolicyInput<'_>, given: &ResourcePagesInput<'_>) -> Vec<Fact> {
    let Some(kind) = restated_kind(&input.text.value) else { return Vec::new() };
    let engine = PolicyEngine::of_document(&input.text.value).as_str();
    let mut line = vec![Piece::of_code(kind), words_piece(" of ")];
    line.push(words_piece(engine));
    let mut facts = vec![line_fact("kind", "Kind", line)];
    let generated = given.resources.iter().filter(|text| {
        let origin = text.value.get(RESTATED_FROM);
        text.kind == ResourceKind::Policy
            && text.is_generated()
            && origin.is_some_and(|origin| text_of(origin, "/name") == input.name)
    });
    let rules = generated.flat_map(|text| items_of(&text.value, "/spec/matchConstraints/resourceRules"));
    let resources: Vec<&str> = rules.flat_map(|rule| texts_of(rule, "/resources")).collect();
    if !resources.is_empty() {
        let mut line = join_codes(&resources, "and");
        line.push(words_piece(", whose Pod templates "));
        line.push(words_piece(engine));
        line.push(words_piece(" evaluates like Pods"));
        facts.push(line_fact("generated", "Also for", line));
    }
    facts
}

/// The facts about a policy as a whole.
fn policy_facts(input: &PolicyInput<'_>) -> Vec<Fact> {
    let policy = &input.text.value;
    let mut facts = match_facts(policy, "/spec/matchConstraints");
    if let Some(kind) = policy.pointer("/spec/paramKind").filter(|kind| kind.is_object()) {
        let name = text_of(kind, "/kind");
        let linked = input.params_page.as_ref().map(|page| {
            Piece::Reference(Reference {
                to: ReferenceTarget::Resource,
                name: name.to_owned(),
                label: Some(PageNames::of_page(page).page_label()),
                page: Some(page.clone()),
                anchor: None,
            })
        });
        let kind_piece = linked.unwrap_or_else(|| Piece::of_code(name));
        let line = vec![kind_piece, words_piece(" in "), Piece::of_code(text_of(kind, "/apiVersion"))];
        facts.push(line_fact("parameters", "Parameters", line));
    }
    // admissionregistration v1/defaults.go sets Fail.
    let (name, effect) = match text_of(policy, "/spec/failurePolicy") {
        "Ignore" => ("Ignore", ": an error in an expression counts as no violation"),
        _ => ("Fail", ": an error in an expression counts as a violation"),
    };
    facts.push(line_fact(
        "failure-policy",
        "Failure policy",
        vec![Piece::of_code(name), words_piece(effect)],
    ));
    facts
}

fn validations_section(
    input: &PolicyInput<'_>,
    given: &ResourcePagesInput<'_>,
    names: &mut PageNames,
) -> Option<ResourceSection> {
    let listed: Vec<_> = input.listed("validations", given).collect();
    let count = listed.len();
    let (anchor, label) = names.add_name("validations");
    let document = &input.text.value;
    let subjects = policy_subjects(document, &RunResources::of_resources(given.resources));
    let policy = Policy::from_json(document);
    let rule = |(index, (validation, source)): (usize, (&Json, Option<Source>))| {
        let (anchor, label) = names.add_name("validation");
        let expression = PolicyExpression::Validation(index);
        let meaning = policy_meaning_fact(document, &policy, &subjects, expression);
        let samples = validation_samples(document, &policy, &subjects, index);
        let facts = validation_facts(validation, meaning.into_iter().chain(samples), source.as_ref(), given);
        ResourceRule { title: rule_title("Validation", index, count), anchor, label, severity: None, facts }
    };
    let rules: Vec<_> = listed.into_iter().enumerate().map(rule).collect();
    let section = ResourceSection {
        title: "Validations".to_owned(),
        anchor,
        label,
        rules,
        ..ResourceSection::default()
    };
    (count > 0).then_some(section)
}

/// Returns the facts about an entry of `validations`, the most important first.
fn validation_facts(
    validation: &Json,
    meaning: impl Iterator<Item = Fact>,
    source: Option<&Source>,
    given: &ResourcePagesInput<'_>,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let message = text_of(validation, "/message").trim();
    if !message.is_empty() {
        let message = Text::of_author(message, given.notation);
        facts.push(line_fact("message", "Message", vec![Piece::Text(message)]));
    }
    facts.extend(meaning);
    let reason = text_of(validation, "/reason");
    if !reason.is_empty() {
        facts.push(line_fact("reason", "Reason", vec![Piece::of_code(reason)]));
    }
    facts.extend(source_fact(source));
    facts.push(code_fact("cel", "CEL", text_of(validation, "/expression").trim()));
    let message = text_of(validation, "/messageExpression").trim();
    if !message.is_empty() {
        facts.push(code_fact("message-expression", "Message (CEL)", message));
    }
    facts
}

/// The section of a list whose entries have a name and an expression.
fn named_section(
    (title, list, [name, expression]): (&str, &'static str, [&str; 2]),
    input: &PolicyInput<'_>,
    given: &ResourcePagesInput<'_>,
    names: &mut PageNames,
) -> Option<ResourceSection> {
    let (anchor, label) = names.add_name(&title.to_lowercase());
    let field =
        |entry: &Json, field: &str| entry.get(field).and_then(Json::as_str).unwrap_or_default().to_owned();
    let entries = input.listed(list, given).map(|(entry, source)| {
        let name = field(entry, name);
        let (anchor, label) = names.add_name(&format!("{}-{name}", list.to_lowercase()));
        let mut facts: Vec<Fact> = source_fact(source.as_ref()).into_iter().collect();
        facts.push(code_fact("cel", "CEL", field(entry, expression).trim()));
        ResourceEntry { name, anchor, label, facts, ..ResourceEntry::default() }
    });
    let entries: Vec<_> = entries.collect();
    let is_empty = entries.is_empty();
    let section =
        ResourceSection { title: title.to_owned(), anchor, label, entries, ..ResourceSection::default() };
    (!is_empty).then_some(section)
}

fn bindings_section(
    input: &PolicyInput<'_>,
    given: &ResourcePagesInput<'_>,
    names: &mut PageNames,
) -> Option<ResourceSection> {
    if input.bindings.is_empty() {
        return None;
    }
    let (anchor, label) = names.add_name("bindings");
    let entries = input.bindings.iter().map(|binding| binding_entry(binding, names, given)).collect();
    Some(ResourceSection {
        title: "Bindings".to_owned(),
        anchor,
        label,
        entries,
        ..ResourceSection::default()
    })
}
