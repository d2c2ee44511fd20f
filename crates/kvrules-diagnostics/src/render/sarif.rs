//! `sarif`: a SARIF 2.1.0 log with one run, which code-scanning services read.
//!
//! The structs below are the part of the standard that we use, in its words. Braces and brackets in messages
//! stand as they are: without arguments, readers of SARIF take the text literally.

use std::collections::BTreeMap;

use serde::Serialize;

use super::page_address::page_address;
use super::source_location::SourceLocation;
use super::{RenderOptions, pretty_json};
use crate::{Applicability, Diagnostic, Edit, Fingerprint, Fix, Label, Level, Sources, fingerprint_findings};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    /// Unit of our columns, which SARIF otherwise takes to be UTF-16 units.
    column_kind: &'a str,
    results: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    rules: Vec<Rule<'a>>,
}

/// A reporting descriptor of SARIF: one of our codes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    name: String,
    short_description: Message,
    help: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(PartialEq, Serialize)]
struct Message {
    text: String,
}

/// A result of SARIF: one finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    /// Identifiers of the finding that survive edits elsewhere in the file; the key has a version, as the standard asks.
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Repair>,
}

/// A fix of SARIF.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Repair {
    description: Message,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

/// A region to delete; an empty one is an insertion.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(PartialEq, Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// A range; its end is the column just past the last character, as in our spans.
#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

pub(super) fn render_sarif(diagnostics: &[Diagnostic], sources: &Sources, options: &RenderOptions) -> String {
    let codes = collect_codes(diagnostics);
    let prints = fingerprint_findings(diagnostics, sources);
    let results = diagnostics.iter().zip(prints);
    let results = results.map(|(diagnostic, print)| to_outcome(diagnostic, print, &codes, sources)).collect();
    let rules = codes.into_values().map(|code| to_rule(code.first, code.level, options)).collect();
    let driver = Driver { name: "kvrules", version: &options.tool_version, rules };
    let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
    pretty_json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

/// A code that occurs.
struct Code<'a> {
    /// Its place in the list of rules.
    index: usize,
    /// The first finding with it.
    first: &'a Diagnostic,
    /// The worst level it occurs with.
    level: Level,
}

/// The codes that occur, in order.
fn collect_codes(diagnostics: &[Diagnostic]) -> BTreeMap<&str, Code<'_>> {
    let mut codes = BTreeMap::new();
    for first in diagnostics {
        let code = codes.entry(first.code).or_insert(Code { index: 0, first, level: first.level });
        code.level = code.level.max(first.level);
    }
    for (index, code) in codes.values_mut().enumerate() {
        code.index = index;
    }
    codes
}

fn to_rule<'a>(first: &'a Diagnostic, level: Level, options: &RenderOptions) -> Rule<'a> {
    let summary = options.summaries.iter().find(|(code, _)| *code == first.code).map(|(_, summary)| *summary);
    let text = summary.map_or_else(|| first.name.replace('_', " "), str::to_owned);
    Rule {
        id: first.code,
        name: pascal_case(first.name),
        short_description: Message { text },
        help: Message { text: format!("See `kvrules explain {}` for details.", first.code) },
        help_uri: page_address(first.code, first.name, options),
        default_configuration: Configuration { level: level_word(level) },
    }
}

fn to_outcome<'a>(
    diagnostic: &'a Diagnostic,
    print: Fingerprint,
    codes: &BTreeMap<&str, Code<'_>>,
    sources: &Sources,
) -> Outcome<'a> {
    // Readers of SARIF apply every fix, so those that are for display only are left out.
    let fix = diagnostic.fix.iter().filter(|fix| fix.applicability != Applicability::DisplayOnly);
    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    Outcome {
        rule_id: diagnostic.code,
        rule_index: codes.get(diagnostic.code).map_or(0, |code| code.index),
        level: level_word(diagnostic.level),
        message: Message { text: std::iter::once(diagnostic.message.clone()).chain(help).collect() },
        locations: to_location(&diagnostic.primary, sources).into_iter().collect(),
        related_locations: related_locations(diagnostic, sources),
        partial_fingerprints: [("kvrules/v1", print.to_string())].into(),
        fixes: fix.filter_map(|fix| to_repair(fix, sources)).collect(),
    }
}

/// A repair; its description says when it may change what rules mean.
fn to_repair(fix: &Fix, sources: &Sources) -> Option<Repair> {
    let first = SourceLocation::from_span(fix.edits.first()?.span, sources)?;
    let trust = match fix.applicability {
        Applicability::Safe => "",
        other => other.as_str(),
    };
    let text = if trust.is_empty() { fix.title.clone() } else { format!("{} ({trust})", fix.title) };
    let replacement = |edit: &Edit| {
        let inserted_content = Message { text: edit.replacement.clone() };
        Some(Replacement {
            deleted_region: to_region(&SourceLocation::from_span(edit.span, sources)?),
            inserted_content,
        })
    };
    let replacements = fix.edits.iter().map(replacement).collect::<Option<_>>()?;
    let change =
        ArtifactChange { artifact_location: ArtifactLocation { uri: file_uri(first.file) }, replacements };
    Some(Repair { description: Message { text }, artifact_changes: [change] })
}

/// The secondary places, each once: the standard has them unique.
fn related_locations(diagnostic: &Diagnostic, sources: &Sources) -> Vec<Location> {
    let places = diagnostic.secondary.iter().filter_map(|label| to_location(label, sources));
    places.fold(Vec::new(), |mut unique, place| {
        if !unique.contains(&place) {
            unique.push(place);
        }
        unique
    })
}

fn to_location(label: &Label, sources: &Sources) -> Option<Location> {
    let place = SourceLocation::from_span(label.span, sources)?;
    let region = to_region(&place);
    let artifact_location = ArtifactLocation { uri: file_uri(place.file) };
    let message = (!label.text.is_empty()).then(|| Message { text: label.text.clone() });
    Some(Location { physical_location: PhysicalLocation { artifact_location, region }, message })
}

fn to_region(place: &SourceLocation<'_>) -> Region {
    let SourceLocation { start, end, .. } = place;
    Region {
        start_line: start.position.line,
        start_column: start.position.column,
        end_line: end.position.line,
        end_column: end.position.column,
    }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// `missing_key` as `MissingKey`.
fn pascal_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
    });
    words.flatten().collect()
}

/// A file name as a URI reference: relative for a relative path, `file:` for an absolute one.
fn file_uri(name: &str) -> String {
    // Elsewhere a backslash is an ordinary character of a file name.
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
    let encoded: String = name.strip_prefix("./").unwrap_or(&name).bytes().map(percent_encode).collect();
    match encoded.strip_prefix('/') {
        Some(path) => format!("file:///{path}"),
        None => encoded,
    }
}

/// A byte as it stands in the path of a URI. Colons are encoded too: before the first slash one would end a scheme.
fn percent_encode(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_uri_references() {
        assert_eq!(file_uri("./rules/größe 1.yaml"), "rules/gr%C3%B6%C3%9Fe%201.yaml");
        assert_eq!(file_uri("a:b#c?d%e"), "a%3Ab%23c%3Fd%25e");
        assert_eq!(file_uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(file_uri("/etc/x.yaml"), "file:///etc/x.yaml");
    }

    #[test]
    fn rule_names_are_in_pascal_case() {
        assert_eq!(pascal_case("missing_key"), "MissingKey");
        assert_eq!(pascal_case(""), "");
    }
}
