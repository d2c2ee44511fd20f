//! One extra spec, or a family of them.

use kvrules_extra_specs::python::BOOLEAN_WORDS;
use kvrules_extra_specs::{Status, ValueType};
use kvrules_pages::document::{Examples, Page};
use kvrules_pages::extra_specs::{SpecPage, SpecParameter, SpecValue};
use kvrules_pages::prose::{Prose, pattern_code, text_code};
use kvrules_pages::{AuthorNotation, Text};

use super::claims::SpecClaims;
use super::examples;
use super::input::{ExpandedEntry, SpecPagesInput};
use super::limits::range_limits;
use super::links::{SpecLinks, SpecLocation};
use super::pattern::pattern_text;
use crate::enforcement::said_by;

/// The page of an entry at its place.
pub(super) fn spec_page(
    item: &ExpandedEntry<'_>,
    place: SpecLocation,
    links: &SpecLinks,
    claims: &SpecClaims,
    given: &SpecPagesInput<'_>,
) -> SpecPage {
    let ExpandedEntry { entry, notation, definitions } = item;
    let author = |text: &str| author_text(text, *notation);
    let names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let fidelity = claims.of_names(&names);
    let (limits, values, expression) =
        value_requirements(&entry.value.r#type, &entry.value.description, *notation);
    let (status, status_text, replacement) = describe_status(&entry.status);
    let first = definitions.first();
    let mut described = SpecPage {
        summary: Text::of_summary(&entry.description, *notation),
        value_type: entry.value.r#type.type_name().to_owned(),
        type_text: Text::from_prose(&type_words(&entry.value.r#type)),
        value_description: author(&entry.value.description),
        values,
        parameters: entry
            .parameters
            .iter()
            .map(|parameter| SpecParameter {
                name: parameter.name.clone(),
                pattern: pattern_text(&parameter.pattern),
                description: author(&parameter.description),
            })
            .collect(),
        keys: first.map_or_else(Examples::default, examples::key_examples),
        status: status.to_owned(),
        status_text: Text::of_sentence(&status_text),
        replacement: replacement.map(|name| links.to(name)),
        virt_drivers: entry.virt_drivers.clone(),
        requires: entry.requires.iter().map(|name| links.to(name)).collect(),
        since: entry.since.clone(),
        image_property: entry.image_property.clone(),
        metadef: first.filter(|_| !item.is_family()).and_then(|definition| claims.metadef(definition)),
        members: place.members,
        page: Page {
            name: entry.name.clone(),
            title: if entry.name.trim().is_empty() { "(no name)".to_owned() } else { entry.name.clone() },
            anchor: place.anchor,
            label: place.label,
            description: Some(Text::of_author(&entry.description, *notation)),
            sentence: Text::from_prose(&value_sentence(&entry.value.r#type)),
            facts: Vec::new(),
            limits,
            pattern: expression,
            examples: first.map_or_else(Examples::default, examples::value_examples),
            said_by: said_by(&fidelity),
            fidelity,
            source: given.places.of(entry.origin),
            body: None,
        },
    };
    described.gather_facts();
    described
}

/// An author's words if there are any.
fn author_text(text: &str, notation: AuthorNotation) -> Option<Text> {
    (!text.trim().is_empty()).then(|| Text::of_author(text, notation))
}

type ValueRequirements =
    (Vec<kvrules_pages::document::Limit>, Vec<SpecValue>, Option<kvrules_pages::document::PatternText>);

/// Returns the requirements on a value, part by part. Next to a pattern an enum has no effect.
fn value_requirements(value: &ValueType, description: &str, notation: AuthorNotation) -> ValueRequirements {
    match value {
        ValueType::Integer { min, max } => (range_limits(*min, *max, description), Vec::new(), None),
        ValueType::String { pattern: Some(expression), .. } => {
            (Vec::new(), Vec::new(), Some(pattern_text(expression)))
        }
        ValueType::String { members: Some(members), .. } => {
            let values = members.iter().map(|member| SpecValue {
                value: member.value().to_owned(),
                code: text_code(member.value()),
                description: author_text(member.description(), notation),
            });
            (Vec::new(), values.collect(), None)
        }
        ValueType::Boolean | ValueType::String { .. } => Default::default(),
    }
}

/// Returns the requirement on a value.
fn value_sentence(value: &ValueType) -> Prose {
    let must = Prose::from("The value must be ");
    match value {
        ValueType::Integer { min: None, max: None } => must.text("an integer."),
        ValueType::Integer { min: Some(min), max: None } => {
            must.text(&format!("an integer of at least {min}."))
        }
        ValueType::Integer { min: None, max: Some(max) } => {
            must.text(&format!("an integer of at most {max}."))
        }
        ValueType::Integer { min: Some(min), max: Some(max) } => {
            must.text(&format!("an integer from {min} to {max}."))
        }
        ValueType::Boolean => {
            must.text("a boolean, such as ").code("true").text(" or ").code("false").text(".")
        }
        ValueType::String { pattern: Some(pattern), .. } => {
            Prose::from("The whole value must match ").code(pattern_code(pattern)).text(".")
        }
        ValueType::String { members: Some(members), .. } if members.is_empty() => {
            Prose::from("No value is allowed.")
        }
        ValueType::String { members: Some(members), .. } => {
            let codes: Vec<_> =
                members.iter().map(|member| Prose::of_code(text_code(member.value()))).collect();
            must.add_prose(&Prose::join_with(&codes, ", ", " or ")).text(".")
        }
        ValueType::String { .. } => Prose::from("The value may be any string."),
    }
}

/// The type, and how its values are written.
fn type_words(value: &ValueType) -> Prose {
    let wording = Prose::from(value.type_name());
    match value {
        ValueType::Boolean => {
            let (yes, no) = BOOLEAN_WORDS.split_at(BOOLEAN_WORDS.len() / 2);
            let codes = |words: &[&str]| {
                let codes: Vec<_> = words.iter().map(|word| Prose::of_code(*word)).collect();
                Prose::join_with(&codes, ", ", " and ")
            };
            let wording = wording.text("; ").add_prose(&codes(yes)).text(" mean true, ");
            wording.add_prose(&codes(no)).text(" mean false, in upper or lower case")
        }
        ValueType::Integer { .. } | ValueType::String { .. } => wording,
    }
}

/// The word for a status, a sentence about it, and what to use instead.
fn describe_status(status: &Status) -> (&'static str, String, Option<&str>) {
    match status {
        Status::Supported => ("supported", "supported".to_owned(), None),
        Status::Experimental => {
            ("experimental", "experimental: it may change or be removed".to_owned(), None)
        }
        Status::Deprecated { since, reason, replacement } => {
            let since = since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
            let text = format!("deprecated{since}{}", reason.trim_end().trim_end_matches('.'));
            ("deprecated", text, replacement.as_deref())
        }
    }
}
