//! Pages of documentation as files: what each has to be, whatever texts are on it.

use kvrules::crd::ResourceText;
use kvrules::docs::{
    AuthorNotation, Document, Grouping, PagesInput, ResourcePagesInput, RuleLocations, add_resource_pages,
    build_pages,
};
use kvrules::{EmitError, Request};
use serde_json::Value;

/// Pieces of which texts are made that try to break a page.
pub const HOSTILE_PIECES: &[&str] = &[
    "`",
    "``",
    "|",
    "{{",
    "{{#include x}}",
    "{% raw %}",
    ".. note:: x",
    "::",
    "<script>alert(1)</script>",
    "<!-- ",
    "-->",
    "*",
    "**",
    "_",
    "x_",
    "`x`_",
    "[a](b)",
    "[a](https://x.example/b)",
    "[a](javascript:alert(1))",
    "[a](mailto:b@x.example)",
    "![",
    "]",
    "&amp;",
    "# h",
    "\n\n## h\n\n",
    "- ",
    "1. ",
    "=====",
    "~~~",
    "> ",
    "\\",
    "\n",
    "\n\n",
    "\t",
    "\u{85}",
    "\u{2028}",
    "שלום",
    "\u{202e}",
    "磁盘总线",
    "é",
    ":ref:`x`",
    "$x$",
    "https://x.example/a_b?c=d&e*",
    "http://",
    "\"",
    "'",
    "word",
    " ",
    "{#id}",
    ":",
    "{p}",
    "</details>",
    "\u{200b}",
    "\u{7}",
    "    code",
    "\n\n- item\n  more\n\n\tcode\n",
    "\n1. item\n   - inner\n2. more\n",
];

/// Elements that run or load something.
const ACTIVE: &[&str] = &[
    "script",
    "iframe",
    "object",
    "embed",
    "img",
    "image",
    "link",
    "style",
    "foreignObject",
    "form",
    "base",
];

/// Fails unless the body of a page of HTML is well-formed, and nothing in it runs or loads anything.
///
/// # Panics
///
/// If it does not pass.
pub fn check_html(path: &str, text: &str) {
    let body = text.find("<main>").zip(text.rfind("</main>"));
    let body = body.and_then(|(start, end)| text.get(start..end + "</main>".len()));
    let read = roxmltree::Document::parse(body.unwrap_or_default());
    let read = read.unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
    let elements = || read.descendants().filter(roxmltree::Node::is_element);
    assert!(elements().filter(|node| node.has_tag_name("h1")).count() == 1, "{path}");
    for element in elements() {
        let name = element.tag_name().name();
        assert!(!ACTIVE.contains(&name), "{path}: <{name}>");
        for attribute in element.attributes() {
            let (name, value) = (attribute.name(), attribute.value().trim());
            assert!(!name.starts_with("on"), "{path}: {name}");
            let scheme = value.split_once(':').map_or("", |(scheme, _)| scheme);
            let is_scheme = name == "href" && scheme.chars().all(|char| char.is_ascii_alphanumeric());
            assert!(!is_scheme || ["", "http", "https", "mailto"].contains(&scheme), "{path}: {value}");
        }
    }
}

/// Fails unless the index of the search is a list of pages, which strict JSON is.
///
/// # Panics
///
/// If it is not.
pub fn check_search_index(text: &str) {
    let list = text.strip_prefix("window.kvrulesPages=").and_then(|text| text.strip_suffix(";\n"));
    let pages: Vec<(String, String, String, Vec<Value>)> =
        serde_json::from_str(list.unwrap_or_default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(!pages.is_empty(), "{text}");
}

/// Pages about resources.
///
/// # Errors
///
/// A resource cannot be described.
pub fn resource_document(
    places: RuleLocations<'_>,
    resources: &[ResourceText],
) -> Result<Document, EmitError> {
    let notation = AuthorNotation::Plain;
    build_resource_document(&ResourcePagesInput { resources, rule_sets: &[], places, notation, format: None })
}

/// Pages about resources and RuleSets.
///
/// # Errors
///
/// A resource cannot be described.
pub fn build_resource_document(given: &ResourcePagesInput<'_>) -> Result<Document, EmitError> {
    let ResourcePagesInput { places, notation, .. } = *given;
    let request = Request::for_virtual_machines(&[]);
    let mut document = build_pages(&PagesInput { request, places, notation, grouping: Grouping::Set })?;
    add_resource_pages(&mut document, given)?;
    Ok(document)
}
