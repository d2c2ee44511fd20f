//! From pages about extra specs to files: an index, and a page for each namespace.

use minijinja::{Value, context};
use serde_json::json;

use super::SpecsDocument;
use crate::formats::Format;
use crate::render::{lay_out, template_environment, template_view};
use crate::search::index_file;
use crate::{EmitError, OutputFile, Template};

/// The files of a document about extra specs.
pub fn render_extra_specs(
    format: &'static Format,
    document: &SpecsDocument,
    templates: &[Template],
) -> Result<Vec<OutputFile>, EmitError> {
    let environment = template_environment(format, templates)?;
    let common = context! {
        version => Value::from(document.version.as_str()),
        overview => template_view(&document.overview, format),
    };
    let groups: Vec<Value> = document.groups.iter().map(|group| template_view(group, format)).collect();
    let laid_out = |name: &str, values: Value| lay_out(&environment, &format.template(name), &values);
    let index = laid_out("extra_specs_index", context! { groups => groups.clone(), ..common.clone() })?;
    let mut files = vec![format.file("index", index)];
    for (group, seen) in document.groups.iter().zip(groups) {
        let text = laid_out("extra_specs", context! { group => seen, ..common.clone() })?;
        files.push(format.file(&group.anchor, text));
    }
    files.extend(format.search.then(|| specs_index(document)));
    Ok(files)
}

/// The file of the index of the search. Pages about rules, which have another one, may be in the same directory.
const SEARCH_INDEX: &str = "extra-specs-search.js";

fn specs_index(document: &SpecsDocument) -> OutputFile {
    let groups = document.groups.iter().map(|group| {
        let specs = group.specs.iter().map(|spec| json!([spec.page.anchor, spec.page.title]));
        json!([group.title, group.anchor, "Extra specs", specs.collect::<Vec<_>>()])
    });
    index_file(SEARCH_INDEX, &groups.collect())
}
