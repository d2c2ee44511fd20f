//! Extra specs as Markdown for a chapter.

use kvrules::docs::SpecsDocument;
use kvrules::docs::spec_pages::{SpecGroup, SpecPage};

use crate::markdown::{PageAnchors, describe_page, escape_cell, inline_code};

/// The extra specs of a namespace, or of all namespaces if none is named. Empty if the namespace is unknown.
pub(crate) fn specs_of_group<'a>(document: &'a SpecsDocument, name: Option<&str>) -> Vec<&'a SpecPage> {
    let is_intended =
        |group: &&SpecGroup| name.is_none_or(|name| group.title == name || group.anchor == name);
    document.groups.iter().filter(is_intended).flat_map(|group| &group.specs).collect()
}

/// The known namespaces, for the error about an unknown one.
pub(crate) fn namespace_names(document: &SpecsDocument) -> String {
    let names = document.groups.iter().map(|group| format!("`{}`", group.anchor));
    names.collect::<Vec<_>>().join(", ")
}

/// Describes extra specs, one below the other.
pub(crate) fn describe_specs(specs: &[&SpecPage], level: usize, anchors: &mut dyn PageAnchors) -> String {
    specs.iter().map(|spec| describe_page(&spec.page, level, anchors)).collect()
}

/// A table with a line for each extra spec.
pub(crate) fn spec_table(specs: &[&SpecPage], anchors: &dyn PageAnchors) -> String {
    let line = |spec: &&SpecPage| {
        let status = if spec.status == "supported" { String::new() } else { format!(" ({})", spec.status) };
        let summary = escape_cell(&spec.summary.markdown);
        format!("| {}{status} | {summary} |\n", link_in_cell(&spec.page.name, &spec.page.title, anchors))
    };
    let lines: String = specs.iter().map(line).collect();
    format!("| extra spec | description |\n|---|---|\n{lines}\n")
}

fn link_in_cell(name: &str, title: &str, anchors: &dyn PageAnchors) -> String {
    let shown = escape_cell(&inline_code(title));
    anchors.link_spec(name).map(|link| format!("[{shown}]({link})")).unwrap_or(shown)
}
