//! `junit`: a test suite for each file, and in it a test case for each finding.
//!
//! A file without findings has one test case, which passes, so that a report of a clean run says what was examined.
//! Findings below the level that fails a run pass as well, and say in their output what was found.

use super::source_location::SourceLocation;
use super::{RenderOptions, escape, xml};
use crate::{Diagnostic, Level, Sources};

/// The test case of a file in which nothing was found.
const CLEAN: &str = "no findings";
/// The suite of findings that have no place.
const NOWHERE: &str = "kvrules";

/// The test cases of one file.
#[derive(Default)]
struct Suite {
    count: xml::JunitCount,
    cases: String,
}

pub(super) fn render_junit(diagnostics: &[Diagnostic], sources: &Sources, options: &RenderOptions) -> String {
    let mut suites: Vec<_> = sources.files().iter().map(|file| (file.name(), Suite::default())).collect();
    let mut nowhere = Suite::default();
    for diagnostic in diagnostics {
        let suite = suites.get_mut(diagnostic.primary.span.file.0 as usize).map(|(_, suite)| suite);
        let fails = options.passing.is_none_or(|passing| diagnostic.level > passing);
        suite.unwrap_or(&mut nowhere).add(
            diagnostic,
            SourceLocation::from_span(diagnostic.primary.span, sources),
            fails,
        );
    }
    for (name, suite) in suites.iter_mut().filter(|(_, suite)| suite.count.tests == 0) {
        suite.count.tests = 1;
        suite.cases =
            xml::junit_testcase(name, CLEAN, &format!(" file=\"{}\"", xml::escape_attribute(name)), "");
    }
    if nowhere.count.tests > 0 {
        suites.push((NOWHERE, nowhere));
    }
    junit_document(&suites)
}

fn junit_document(suites: &[(&str, Suite)]) -> String {
    let tests: usize = suites.iter().map(|(_, suite)| suite.count.tests).sum();
    let failures: usize = suites.iter().map(|(_, suite)| suite.count.failures).sum();
    let head = xml::junit_start("check", &format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\""));
    let suites = suites.iter().map(|(name, Suite { count, cases })| {
        format!("{}{cases}{}", xml::junit_suite_start(name, Some(*count)), xml::JUNIT_SUITE_END)
    });
    std::iter::once(head).chain(suites).chain([xml::JUNIT_END.to_owned()]).collect()
}

impl Suite {
    fn add(&mut self, diagnostic: &Diagnostic, place: Option<SourceLocation<'_>>, fails: bool) {
        self.count.tests += 1;
        self.count.failures += usize::from(fails);
        let Diagnostic { code, name, .. } = diagnostic;
        let found = if fails { failure(diagnostic, place) } else { output(diagnostic, place) };
        self.cases += &match place {
            Some(SourceLocation { file, start, .. }) => {
                let (line, column) = (start.position.line, start.position.column);
                let at = format!(" file=\"{}\" line=\"{line}\"", xml::escape_attribute(file));
                xml::junit_testcase(file, &format!("{code} {name} {line}:{column}"), &at, &found)
            }
            None => xml::junit_testcase(NOWHERE, &format!("{code} {name}"), "", &found),
        };
    }
}

fn failure(diagnostic: &Diagnostic, place: Option<SourceLocation<'_>>) -> String {
    xml::junit_failure("failure", diagnostic.level.as_str(), &diagnostic.message, &body(diagnostic, place))
}

fn output(diagnostic: &Diagnostic, place: Option<SourceLocation<'_>>) -> String {
    xml::junit_output(&body(diagnostic, place))
}

/// The finding in full: where, what, and what to do about it.
fn body(diagnostic: &Diagnostic, place: Option<SourceLocation<'_>>) -> String {
    let Diagnostic { code, level, message, help, .. } = diagnostic;
    // Element text keeps line breaks, so each of these parts is escaped to one line.
    let at = place.map(|SourceLocation { file, start, .. }| {
        format!("{}:{}:{}: ", escape::escape_line(file), start.position.line, start.position.column)
    });
    let help = help.as_ref().map(|help| format!("\nhelp: {}", escape::escape_lines(help)));
    let message = escape::escape_line(message);
    let level = Level::as_str(*level);
    format!("{}{level}[{code}] {message}{}", at.unwrap_or_default(), help.unwrap_or_default())
}
