//! Results in the Test Anything Protocol, version 14.

use std::fmt::Write as _;

use kvrules::Sources;
use kvrules::render::one_line;
use kvrules::test::CaseStatus;

use super::RunSuite;
use super::junit::describe_place;

/// Renders the results: a test point for each error in a suite and for each case.
pub(super) fn render_tap(run: &[RunSuite<'_>], sources: &Sources) -> String {
    let mut lines = Vec::new();
    for one in run {
        for error in one.suite.findings.iter().filter(|it| it.level == kvrules::Level::Error) {
            let place = describe_place(error.primary.span, sources);
            lines.push((
                false,
                format!("{}: cannot be read", one.suite.path),
                vec![format!("{place}: {}", error.message)],
            ));
        }
        for (case, result) in &one.cases {
            let is_ok = matches!(result.status, CaseStatus::Passed | CaseStatus::Skipped);
            let mut name = escape_name(&format!("{}: {}", one.suite.path, case.name));
            if let Some(reason) = &case.skipped {
                name = format!("{name} # SKIP {}", one_line(reason));
            }
            let differences = result.mismatches.iter().map(|it| {
                let place = describe_place(it.span.unwrap_or(case.span), sources);
                format!("{place}: {}", it.message)
            });
            lines.push((is_ok, name, differences.collect()));
        }
    }
    let mut text = format!("TAP version 14\n1..{}\n", lines.len());
    for (index, (is_ok, name, differences)) in lines.iter().enumerate() {
        let word = if *is_ok { "ok" } else { "not ok" };
        let _ = writeln!(text, "{word} {} - {name}", index + 1);
        if !differences.is_empty() {
            let quoted = |line: &String| format!("  - {}\n", serde_json::to_string(line).unwrap_or_default());
            let listed: String = differences.iter().map(quoted).collect();
            let _ = write!(text, "  ---\n  differences:\n{listed}  ...\n");
        }
    }
    text
}

/// A description in which no directive begins.
fn escape_name(name: &str) -> String {
    one_line(name).replace('\\', "\\\\").replace('#', "\\#")
}
