//! Output of the user's own templates for one rule or extra spec, for programs that put it on pages of their own.

use minijinja::{Environment, Value, context};

use super::document::{Body, Document};
use super::extra_specs::{SpecPage, SpecsDocument};
use super::formats::{FORMATS, Format};
use super::render::{lay_out, template_environment, template_view};
use crate::{EmitError, Template};

/// Fills in the bodies of rules, in the formats for which there is a template `_rule_body`.
pub fn lay_out_rules(document: &mut Document, templates: &[Template]) -> Result<(), EmitError> {
    for own in own_templates(templates, "_rule_body")? {
        for rule in document.sets.iter_mut().flat_map(|set| &mut set.rules) {
            let text = own.lay_out(&context! { rule => template_view(rule, own.format) })?;
            own.put(rule.page.body.get_or_insert_default(), text);
        }
    }
    Ok(())
}

/// Fills in the bodies of extra specs, in the formats for which there is a template `_extra_spec_body`. The pages of other
/// extra specs are somebody else's there, so that no link has one.
pub fn lay_out_specs(document: &mut SpecsDocument, templates: &[Template]) -> Result<(), EmitError> {
    for own in own_templates(templates, "_extra_spec_body")? {
        for spec in document.groups.iter_mut().flat_map(|group| &mut group.specs) {
            let text = own.lay_out(&context! { spec => template_view(&without_pages(spec), own.format) })?;
            own.put(spec.page.body.get_or_insert_default(), text);
        }
    }
    Ok(())
}

fn without_pages(spec: &SpecPage) -> SpecPage {
    let mut spec = spec.clone();
    for link in spec.requires.iter_mut().chain(&mut spec.replacement) {
        link.page = None;
    }
    spec.gather_facts();
    spec
}

/// A template of the user's own.
struct OwnTemplate {
    format: &'static Format,
    name: String,
    environment: Environment<'static>,
}

fn own_templates(templates: &[Template], part: &str) -> Result<Vec<OwnTemplate>, EmitError> {
    let of_format = FORMATS.into_iter().map(|format| (format, format.template(part)));
    let own = of_format.filter(|(_, name)| templates.iter().any(|template| template.name == *name));
    own.map(|(format, name)| {
        Ok(OwnTemplate { format, name, environment: template_environment(format, templates)? })
    })
    .collect()
}

impl OwnTemplate {
    fn lay_out(&self, values: &Value) -> Result<String, EmitError> {
        lay_out(&self.environment, &self.name, values)
    }

    fn put(&self, body: &mut Body, text: String) {
        match self.format.name {
            "markdown" => body.markdown = Some(text),
            "restructuredtext" => body.restructuredtext = Some(text),
            _ => body.html = Some(text),
        }
    }
}
