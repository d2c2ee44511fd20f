//! `gitlab`: a report of code quality, which GitLab compares between two branches and shows on merge requests.
//!
//! GitLab knows a finding again by its fingerprint, so that must not depend on line numbers. It wants a place for
//! every finding, inside the repository: one without is reported at the first line of no file.

use serde::Serialize;

use super::pretty_json;
use super::source_location::SourceLocation;
use crate::{Diagnostic, Fingerprint, Level, Sources, fingerprint_findings};

/// An issue of GitLab: one finding.
#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'a str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

pub(super) fn render_gitlab(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let prints = fingerprint_findings(diagnostics, sources);
    let issues =
        diagnostics.iter().zip(prints).map(|(diagnostic, print)| to_issue(diagnostic, print, sources));
    pretty_json(&issues.collect::<Vec<_>>())
}

fn to_issue<'a>(diagnostic: &'a Diagnostic, print: Fingerprint, sources: &'a Sources) -> Issue<'a> {
    let place = SourceLocation::from_span(diagnostic.primary.span, sources);
    Issue {
        description: format!("{}: {}", diagnostic.code, diagnostic.message),
        check_name: diagnostic.name,
        fingerprint: print.to_string(),
        severity: gitlab_severity(diagnostic.level),
        location: Location {
            path: place.map_or("", |place| place.file.strip_prefix("./").unwrap_or(place.file)),
            lines: Lines { begin: place.map_or(1, |place| place.start.position.line) },
        },
    }
}

/// GitLab has `info`, `minor`, `major`, `critical` and `blocker`; the last two are left to what endangers running systems.
fn gitlab_severity(level: Level) -> &'static str {
    match level {
        Level::Error => "major",
        Level::Warning => "minor",
        Level::Info => "info",
    }
}
