//! Pages about resources as templates see them. Made without a detour over JSON, since a definition may have thousands of fields.

use minijinja::{Value, context};

use super::pictures::rule_tree_picture;
use super::resource_tree::page_tree;
use super::{fact_view, template_view};
use crate::build::heading_slug;
use crate::fact::{Fact, Reference};
use crate::formats::{Format, PageLinks as _};
use crate::resources::{ResourceEntry, ResourcePage, ResourceRule, ResourceSection};
use crate::text::Text;

/// Returns a page as templates see it.
pub(super) fn page_view(page: &ResourcePage, format: &Format) -> Value {
    let sections: Vec<Value> = page.sections.iter().map(|section| section_view(section, format)).collect();
    context! {
        group => page.group.as_str(),
        part => page.part.as_deref(),
        name => page.name.as_str(),
        title => page.title.as_str(),
        anchor => page.anchor.as_str(),
        label => page.label.as_str(),
        summary => text_view(&page.summary, format),
        description => description_view(page.description.as_ref(), format),
        badges => page.badges.clone(),
        facts => facts_view(&page.facts, format),
        source => template_view(&page.source, format),
        rule_tree => rule_tree_picture(page, format),
        tree => if format.is_folded { page_tree(page, &sections) } else { Value::UNDEFINED },
        sections => sections.into_iter().collect::<Value>(),
    }
}

fn section_view(section: &ResourceSection, format: &Format) -> Value {
    context! {
        title => section.title.as_str(),
        anchor => section.anchor.as_str(),
        label => section.label.as_str(),
        has_own_anchor => heading_slug(&section.title) != section.anchor,
        is_folded => section.is_folded,
        description => description_view(section.description.as_ref(), format),
        facts => facts_view(&section.facts, format),
        rules => rules_view(&section.rules, format),
        entries => section.entries.iter().map(|entry| entry_view(entry, format)).collect::<Value>(),
    }
}

fn entry_view(entry: &ResourceEntry, format: &Format) -> Value {
    context! {
        name => entry.name.as_str(),
        short_name => if entry.short_name.is_empty() { entry.name.as_str() } else { entry.short_name.as_str() },
        anchor => entry.anchor.as_str(),
        label => entry.label.as_str(),
        summary => entry.summary.as_ref().map(|fact| fact_view(fact, format)),
        preview => if format.is_folded { entry.description.as_ref().map(preview_text) } else { None },
        is_required => entry.is_required,
        sections => entry.sections.iter().map(|section| reference_view(section, format)).collect::<Value>(),
        description => description_view(entry.description.as_ref(), format),
        facts => facts_view(&entry.facts, format),
        rules => rules_view(&entry.rules, format),
    }
}

/// The beginning of a description, for a closed fold.
fn preview_text(text: &Text) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.plain.split_whitespace() {
        // The end of a sentence, or more than is shown.
        if line.ends_with('.') || chars > PREVIEW {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        line.push_str(word);
        chars += word.chars().count();
    }
    let sentence = line.trim_end_matches('.');
    match sentence.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", sentence.get(..end).unwrap_or(sentence).trim_end()),
        None => sentence.to_owned(),
    }
}

/// The longest preview, in characters.
const PREVIEW: usize = 160;

/// A section of the same page, as the filter `refer` takes it.
fn reference_view(reference: &Reference, format: &Format) -> Value {
    let target = format.address_of(reference);
    context! { name => reference.name.as_str(), target, anchor => reference.anchor.as_deref() }
}

fn rules_view(rules: &[ResourceRule], format: &Format) -> Value {
    let view = |rule: &ResourceRule| {
        context! {
            title => rule.title.as_str(),
            anchor => rule.anchor.as_str(),
            label => rule.label.as_str(),
            severity => rule.severity.as_deref(),
            facts => facts_view(&rule.facts, format),
        }
    };
    rules.iter().map(view).collect()
}

fn facts_view(facts: &[Fact], format: &Format) -> Value {
    let shown = facts.iter().filter(|fact| format.picture.is_some() || !fact.is_picture());
    shown.map(|fact| fact_view(fact, format)).collect()
}

fn description_view(text: Option<&Text>, format: &Format) -> Option<Value> {
    text.map(|text| text_view(text, format))
}

fn text_view(text: &Text, format: &Format) -> Value {
    Value::from_safe_string(text.in_format(format).to_owned())
}
