//! Names that are nearly others: required properties and formats.

use std::collections::HashSet;

use kvrules_diagnostics::{Diagnostic, most_alike};
use kvrules_kubernetes::keywords::SchemaDialect::{self, OpenApi31};
use kvrules_syntax::{Node, SyntaxKind};

use crate::lints::{MISSPELT_FORMAT, MISSPELT_PROPERTY};
use crate::tree::{SchemaSite, SchemaTree};
use crate::value_form::is_unreadable;

/// Minimum similarity of a name to the one that was meant.
const LIKE: f64 = 0.8;
/// Minimum similarity if two letters are swapped, as in a word of four letters.
const SWAPPED: f64 = 0.74;

/// Formats of JSON Schema.
// json-schema.org draft 2020-12, validation, 7.3
const FORMATS: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Formats of others, which are similar to each other or to those of JSON Schema.
// spec.openapis.org/registry/format; draft-zyp-json-schema-03, 5.23; kube-openapi pkg/validation/strfmt; the schemas of VS Code
const OTHER_FORMATS: [&str; 56] = [
    "color",
    "host-name",
    "ip-address",
    "phone",
    "style",
    "utc-millisec",
    "base64url",
    "binary",
    "bsonobjectid",
    "byte",
    "char",
    "cidr",
    "color-hex",
    "commonmark",
    "creditcard",
    "datetime",
    "date-time-local",
    "decimal",
    "decimal128",
    "double",
    "double-int",
    "file-path",
    "float",
    "hexcolor",
    "html",
    "http-date",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "integer",
    "ip",
    "isbn",
    "isbn10",
    "isbn13",
    "long",
    "mac",
    "media-range",
    "number",
    "path",
    "password",
    "rgbcolor",
    "sf-binary",
    "sf-boolean",
    "sf-decimal",
    "sf-integer",
    "sf-string",
    "sf-token",
    "ssn",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "url",
    "uuid4",
];

/// Reports required properties that are declared nowhere and similar to a property next to them, and unknown formats.
pub(super) fn check_names(tree: &SchemaTree<'_>, findings: &mut Vec<Diagnostic>) {
    let declared: HashSet<&str> = tree.sites.iter().flat_map(property_names).collect();
    for site in &tree.sites {
        check_required(site, &declared, findings);
        check_format(site, findings);
    }
}

fn property_names<'d>(site: &SchemaSite<'d>) -> impl Iterator<Item = &'d str> {
    let names = site.node.get("properties").filter(|_| !site.is_parameter).into_iter();
    names.flat_map(Node::entries_with_merged).map(|entry| entry.key.text())
}

fn check_required(site: &SchemaSite<'_>, declared: &HashSet<&str>, findings: &mut Vec<Diagnostic>) {
    let has_patterns = site.node.get("patternProperties").is_some();
    // Of a closed schema the contradiction is reported.
    let is_closed = site.node.get("additionalProperties").is_some_and(|it| it.kind() == SyntaxKind::False);
    if site.is_mere_reference() || site.is_parameter || has_patterns || is_closed || site.node.is_open() {
        return;
    }
    let required: Vec<Node<'_>> = site.node.get("required").into_iter().flat_map(Node::items).collect();
    for name in &required {
        let Some(text) = name.as_str().filter(|text| !declared.contains(text) && !is_unreadable(*name))
        else {
            continue;
        };
        // A property that is required as well has a meaning of its own.
        let is_free = |other: &&str| {
            !required.iter().any(|name| name.text() == *other) && !differ_in_digits(text, other)
        };
        let candidates = property_names(site).filter(is_free).map(|other| (other, other));
        let near = most_alike(text, SWAPPED, candidates);
        if let Some(near) = near.filter(|near| is_like(text, near)) {
            let message = format!("required property `{text}` is not declared");
            let found = MISSPELT_PROPERTY.diagnostic_at(name.span(), message);
            findings.push(found.with_help(format!("did you mean `{near}`?")));
        }
    }
}

/// True for names that differ in few letters, or in the order of two.
fn is_like(one: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other) || most_alike(one, LIKE, [(other, ())]).is_some()
}

/// True for names such as `line1` and `line2`.
fn differ_in_digits(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
    one != other && letters(one) == letters(other)
}

fn check_format(site: &SchemaSite<'_>, findings: &mut Vec<Diagnostic>) {
    let format =
        site.node.get("format").filter(|format| !site.is_mere_reference() && !is_unreadable(*format));
    let Some((node, text)) = format.and_then(|node| Some((node, node.as_str()?))) else { return };
    let is_known = FORMATS.contains(&text)
        || text == "datetime" && is_openapi(site.dialect)
        || text != "datetime" && OTHER_FORMATS.contains(&text);
    let near = if is_known { None } else { most_alike(text, LIKE, near_candidates(text)) };
    if let Some(near) = near {
        let found = MISSPELT_FORMAT.diagnostic_at(node.span(), format!("unknown format `{text}`"));
        findings.push(found.with_help(format!("did you mean `{near}`?")));
    }
}

/// Formats that another one may be a slip of; `uint` is not one of `int`, and `sint32` not of `uint32`.
fn near_candidates(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = FORMATS.iter().chain(OTHER_FORMATS.iter().filter(|format| format.len() > 5));
    known.copied().filter(|format| !differ_in_digits(text, format)).map(|format| (format, format))
}

fn is_openapi(dialect: SchemaDialect) -> bool {
    dialect.is_older_openapi() || dialect == OpenApi31
}
