//! `json`: one array of findings, for scripts.
//!
//! Every member but `field` is always there, `null` where there is nothing to say, and in one order, so that readers need
//! no special cases and outputs can be compared as text.

use serde::Serialize;

use super::pretty;
use super::source_location::{Place, Point};
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
    primary: Spot<'a>,
    secondary: Vec<Spot<'a>>,
    fix: Option<Repair<'a>>,
}

/// A repair, as edits of the file that the finding is in.
#[derive(Serialize)]
struct Repair<'a> {
    title: &'a str,
    applicability: &'a str,
    edits: Vec<Change<'a>>,
}

/// One stretch of a file, and what is to stand there.
#[derive(Serialize)]
struct Change<'a> {
    start: Option<End>,
    end: Option<End>,
    replacement: &'a str,
}

/// A place and the words said there.
#[derive(Serialize)]
struct Spot<'a> {
    label: Option<&'a str>,
    file: Option<&'a str>,
    start: Option<End>,
    end: Option<End>,
}

/// One end of a place: line and column count from 1, the offset counts bytes from 0.
#[derive(Serialize)]
struct End {
    line: u32,
    column: u32,
    offset: usize,
}

pub(super) fn render(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let findings: Vec<_> = diagnostics.iter().map(|diagnostic| finding(diagnostic, sources)).collect();
    pretty(&findings)
}

pub(super) fn finding<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Finding<'a> {
    Finding {
        code: diagnostic.code,
        name: diagnostic.name,
        level: diagnostic.level.as_str(),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        field: diagnostic.field.as_deref(),
        primary: spot(&diagnostic.primary, sources),
        secondary: diagnostic.secondary.iter().map(|label| spot(label, sources)).collect(),
        fix: diagnostic.fix.as_ref().map(|fix| repair(fix, sources)),
    }
}

fn repair<'a>(fix: &'a Fix, sources: &Sources) -> Repair<'a> {
    let change = |edit: &'a Edit| {
        let place = Place::of(edit.span, sources);
        let (start, past) = (place.map(|place| end(place.start)), place.map(|place| end(place.end)));
        Change { start, end: past, replacement: &edit.replacement }
    };
    Repair {
        title: &fix.title,
        applicability: fix.applicability.as_str(),
        edits: fix.edits.iter().map(change).collect(),
    }
}

fn spot<'a>(label: &'a Label, sources: &'a Sources) -> Spot<'a> {
    let place = Place::of(label.span, sources);
    Spot {
        label: Some(label.text.as_str()).filter(|text| !text.is_empty()),
        file: place.map(|place| place.file),
        start: place.map(|place| end(place.start)),
        end: place.map(|place| end(place.end)),
    }
}

fn end(point: Point) -> End {
    End { line: point.position.line, column: point.position.column, offset: point.offset }
}
