//! The files of pages about resources.

use crate::pictures::share_bodies;
use minijinja::{Environment, Value, context};

use super::resource_view::page_view;
use super::{lay_out, template_view};
use crate::formats::Format;
use crate::resources::{ResourcePage, divide_group, group_resources};
use crate::{EmitError, OutputFile};

/// The groups as the template of the index sees them.
pub(super) fn list_resources(pages: &[ResourcePage], format: &Format) -> Value {
    let listed = |page: &&ResourcePage| {
        context! {
            title => page.title.as_str(),
            stem => page.anchor.as_str(),
            label => page.label.as_str(),
            summary => template_view(&page.summary, format),
        }
    };
    let groups = group_resources(pages).into_iter().map(|(title, pages)| {
        let parts = divide_group(&pages).into_iter().map(|(title, pages)| {
            context! { title, pages => pages.iter().map(listed).collect::<Value>() }
        });
        context! { title, parts => parts.collect::<Value>(), pages => pages.iter().map(listed).collect::<Value>() }
    });
    groups.collect()
}

/// The title of the index: of pages about rule sets too, theirs.
pub(super) fn index_title(has_sets: bool, pages: &[ResourcePage]) -> String {
    if has_sets || pages.is_empty() {
        return "Validation rules".to_owned();
    }
    let groups: Vec<String> = group_resources(pages)
        .iter()
        .enumerate()
        .map(|(index, (group, _))| if index == 0 { (*group).to_owned() } else { group.to_lowercase() })
        .collect();
    groups.join(" and ")
}

/// The file of a page.
pub(super) fn resource_file(
    format: &'static Format,
    environment: &Environment<'_>,
    page: &ResourcePage,
    version: &str,
) -> Result<OutputFile, EmitError> {
    let values = context! { page => page_view(page, format), version };
    let text = lay_out(environment, &format.template("resource"), &values)?;
    let text = if format.picture.is_some() { share_bodies(&text) } else { text };
    Ok(format.file(&page.anchor, text))
}
