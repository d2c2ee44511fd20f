//! A page about a resource as a part of another page.

use minijinja::context;

use super::resource_view::page_view;
use super::{lay_out, template_environment};
use crate::fact::{Fact, FactValue, Piece};
use crate::formats::Format;
use crate::resources::{ResourceEntry, ResourcePage, ResourceRule};
use crate::{EmitError, Template};

/// Returns the content of a page below its title, its headings of a level. Anchors are the labels, which are unique among all
/// pages; what is described on other pages has no link.
pub fn lay_out_resource(
    format: &'static Format,
    page: &ResourcePage,
    level: usize,
    templates: &[Template],
) -> Result<String, EmitError> {
    let environment = template_environment(format, templates)?;
    let values = context! { page => page_view(&with_labels(page), format), level };
    lay_out(&environment, &format.template("_resource"), &values)
}

fn with_labels(page: &ResourcePage) -> ResourcePage {
    let mut page = page.clone();
    page.facts.iter_mut().for_each(link_to_label);
    for section in &mut page.sections {
        section.anchor.clone_from(&section.label);
        section.facts.iter_mut().for_each(link_to_label);
        section.rules.iter_mut().for_each(rule_with_label);
        section.entries.iter_mut().for_each(entry_with_labels);
    }
    page
}

fn entry_with_labels(entry: &mut ResourceEntry) {
    entry.anchor.clone_from(&entry.label);
    entry.summary.iter_mut().chain(&mut entry.facts).for_each(link_to_label);
    entry.sections.iter_mut().for_each(|section| section.anchor.clone_from(&section.label));
    entry.rules.iter_mut().for_each(rule_with_label);
}

fn rule_with_label(rule: &mut ResourceRule) {
    rule.anchor.clone_from(&rule.label);
    rule.facts.iter_mut().for_each(link_to_label);
}

fn link_to_label(fact: &mut Fact) {
    let pieces = match &mut fact.value {
        FactValue::Line(line) => line.iter_mut().collect::<Vec<_>>(),
        FactValue::List(items) => items.iter_mut().flatten().collect(),
        FactValue::Code(_) => Vec::new(),
    };
    for piece in pieces {
        let Piece::Reference(reference) = piece else { continue };
        if reference.page.as_deref() == Some("") {
            reference.anchor.clone_from(&reference.label);
        } else {
            reference.page = None;
        }
    }
}
