//! Definitions and policies as Markdown for a chapter.

use std::fmt::Write as _;

use kvrules::docs::resource_pages::ResourcePage;
use kvrules::docs::{MARKDOWN, lay_out_resource};

use crate::markdown::{escape_cell, inline_code};

/// Describes resources, one below the other. A label is the anchor of each part.
pub(crate) fn describe_resources(pages: &[ResourcePage], level: usize) -> String {
    let mut out = String::new();
    for page in pages {
        let heading = "#".repeat(level);
        let _ = writeln!(out, "{heading} {} {{#{}}}\n", inline_code(&page.title), page.label);
        // Only templates of users have errors.
        out += &lay_out_resource(&MARKDOWN, page, level + 1, &[]).unwrap_or_else(|error| error.message);
        out.push('\n');
    }
    out
}

/// A table with a line for each resource; nothing without any.
pub(crate) fn resource_table(pages: &[ResourcePage]) -> String {
    if pages.is_empty() {
        return String::new();
    }
    let line = |page: &ResourcePage| {
        format!("| {} | {} |\n", escape_cell(&inline_code(&page.title)), escape_cell(&page.summary.markdown))
    };
    let lines: String = pages.iter().map(line).collect();
    format!("| resource | contents |\n|---|---|\n{lines}\n")
}
