//! Results for people: findings with the object and the field that decided, and a line for each suite.

use std::fmt::Write as _;

use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::test::{CaseStatus, describe_result};
use kvrules::{Diagnostic, Level, Sources};

use super::RunSuite;
use crate::sentences::count_noun;
use crate::terminal::{Terminal, render_findings};

/// Renders the results.
pub(super) fn render_human(run: &[RunSuite<'_>], sources: &mut Sources, terminal: &Terminal) -> String {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for one in run {
        findings.extend(one.suite.findings.iter().cloned());
        for (case, result) in &one.cases {
            findings.extend(describe_result(one.suite, case, result, sources));
        }
    }
    let paint = terminal.paint();
    let options = RenderOptions { color: paint.0, ..RenderOptions::default() };
    let mut text = render_findings(RenderFormat::Human, &findings, sources, &options);
    if !text.is_empty() {
        text.push('\n');
    }
    for one in run {
        let count = |status| one.cases.iter().filter(|(_, result)| result.status == status).count();
        let bad = count(CaseStatus::Failed) + count(CaseStatus::Broken);
        let errors = one.suite.findings.iter().filter(|it| it.level == Level::Error).count();
        let mut line = match bad + errors {
            0 => paint.green("ok    "),
            _ => paint.red("FAILED"),
        };
        let _ = write!(
            line,
            " {} ({}): {}",
            one.suite.path,
            one.suite.format,
            count_noun(one.cases.len(), "case")
        );
        if errors > 0 {
            let _ = write!(line, ", {}", count_noun(errors, "error"));
        }
        let parts = [(bad, "failed"), (count(CaseStatus::Skipped), "skipped")];
        for (number, word) in parts.into_iter().filter(|(number, _)| *number > 0) {
            let _ = write!(line, ", {number} {word}");
        }
        text += &line;
        text.push('\n');
        text += &skip_reasons(one);
    }
    text
}

/// The reasons for which cases are skipped, each once.
fn skip_reasons(run: &RunSuite<'_>) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for reason in run.cases.iter().filter_map(|(case, _)| case.skipped.as_deref()) {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let line = |(reason, count): &(&str, usize)| {
        format!("       skipped {}: {reason}\n", count_noun(*count, "case"))
    };
    reasons.iter().map(line).collect()
}
