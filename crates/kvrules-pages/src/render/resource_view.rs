//! Pages about resources as templates see them. Made without a detour over JSON, since a definition may have thousands of fields.

use minijinja::{Value, context};

use super::pictures::rule_tree_picture;
use super::{fact_view, template_view};
use crate::fact::Fact;
use crate::formats::Format;
use crate::resources::{ResourceEntry, ResourcePage, ResourceRule, ResourceSection};
use crate::text::Text;

/// Returns a page as templates see it.
pub(super) fn page_view(page: &ResourcePage, format: &Format) -> Value {
    context! {
        group => page.group.as_str(),
        name => page.name.as_str(),
        title => page.title.as_str(),
        anchor => page.anchor.as_str(),
        label => page.label.as_str(),
        summary => text_view(&page.summary, format),
        description => description_view(page.description.as_ref(), format),
        facts => facts_view(&page.facts, format),
        source => template_view(&page.source, format),
        tree => rule_tree_picture(page, format),
        sections => page.sections.iter().map(|section| section_view(section, format)).collect::<Value>(),
    }
}

fn section_view(section: &ResourceSection, format: &Format) -> Value {
    context! {
        title => section.title.as_str(),
        anchor => section.anchor.as_str(),
        label => section.label.as_str(),
        description => description_view(section.description.as_ref(), format),
        facts => facts_view(&section.facts, format),
        rules => rules_view(&section.rules, format),
        entries => section.entries.iter().map(|entry| entry_view(entry, format)).collect::<Value>(),
    }
}

fn entry_view(entry: &ResourceEntry, format: &Format) -> Value {
    context! {
        name => entry.name.as_str(),
        anchor => entry.anchor.as_str(),
        label => entry.label.as_str(),
        summary => entry.summary.as_ref().map(|fact| fact_view(fact, format)),
        description => description_view(entry.description.as_ref(), format),
        facts => facts_view(&entry.facts, format),
        rules => rules_view(&entry.rules, format),
    }
}

fn rules_view(rules: &[ResourceRule], format: &Format) -> Value {
    let view = |rule: &ResourceRule| {
        context! {
            title => rule.title.as_str(),
            anchor => rule.anchor.as_str(),
            label => rule.label.as_str(),
            facts => facts_view(&rule.facts, format),
        }
    };
    rules.iter().map(view).collect()
}

fn facts_view(facts: &[Fact], format: &Format) -> Value {
    facts.iter().map(|fact| fact_view(fact, format)).collect()
}

fn description_view(text: Option<&Text>, format: &Format) -> Option<Value> {
    text.map(|text| text_view(text, format))
}

fn text_view(text: &Text, format: &Format) -> Value {
    Value::from_safe_string(text.in_format(format).to_owned())
}
