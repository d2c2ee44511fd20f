//! `json`: one array of findings, for scripts.
//!
//! Every member but `field` and `proof` is always there, `null` if there is nothing to say, and in one order, so that readers need
//! no special cases and outputs can be compared as text.

use serde::Serialize;

use super::pretty_json;
use super::source_location::{LineColumn, SourceLocation};
use crate::{Diagnostic, Edit, Fix, Label, Sources};

/// One finding.
#[derive(Serialize)]
pub(super) struct Finding<'a> {
    code: &'a str,
    name: &'a str,
    level: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(flatten)]
    primary: LabelLocation<'a>,
    secondary: Vec<LabelLocation<'a>>,
    fix: Option<Repair<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a serde_json::Value>,
}

/// A repair, as edits of the file that the finding is in.
#[derive(Serialize)]
struct Repair<'a> {
    title: &'a str,
    applicability: &'a str,
    edits: Vec<Change<'a>>,
}

/// A range of a file, and its replacement.
#[derive(Serialize)]
struct Change<'a> {
    start: Option<EndPosition>,
    end: Option<EndPosition>,
    replacement: &'a str,
}

/// A place and the words said there.
#[derive(Serialize)]
struct LabelLocation<'a> {
    label: Option<&'a str>,
    file: Option<&'a str>,
    start: Option<EndPosition>,
    end: Option<EndPosition>,
}

/// One end of a place: line and column count from 1, the offset counts bytes from 0.
#[derive(Serialize)]
struct EndPosition {
    line: u32,
    column: u32,
    offset: usize,
}

pub(super) fn render_json(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let findings: Vec<_> = diagnostics.iter().map(|diagnostic| to_finding(diagnostic, sources)).collect();
    pretty_json(&findings)
}

pub(super) fn to_finding<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Finding<'a> {
    Finding {
        code: diagnostic.code,
        name: diagnostic.name,
        level: diagnostic.level.as_str(),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        field: diagnostic.field.as_deref(),
        primary: to_location(&diagnostic.primary, sources),
        secondary: diagnostic.secondary.iter().map(|label| to_location(label, sources)).collect(),
        fix: diagnostic.fix.as_ref().map(|fix| to_repair(fix, sources)),
        proof: diagnostic.proof.as_ref().map(|proof| &proof.value),
    }
}

fn to_repair<'a>(fix: &'a Fix, sources: &Sources) -> Repair<'a> {
    let change = |edit: &'a Edit| {
        let place = SourceLocation::from_span(edit.span, sources);
        let (start, past) = (place.map(|place| to_end(place.start)), place.map(|place| to_end(place.end)));
        Change { start, end: past, replacement: &edit.replacement }
    };
    Repair {
        title: &fix.title,
        applicability: fix.applicability.as_str(),
        edits: fix.edits.iter().map(change).collect(),
    }
}

fn to_location<'a>(label: &'a Label, sources: &'a Sources) -> LabelLocation<'a> {
    let place = SourceLocation::from_span(label.span, sources);
    LabelLocation {
        label: Some(label.text.as_str()).filter(|text| !text.is_empty()),
        file: place.map(|place| place.file),
        start: place.map(|place| to_end(place.start)),
        end: place.map(|place| to_end(place.end)),
    }
}

fn to_end(point: LineColumn) -> EndPosition {
    EndPosition { line: point.position.line, column: point.position.column, offset: point.offset }
}
