//! Results as annotations of GitHub Actions.

use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::test::describe_result;
use kvrules::{Diagnostic, Sources};

use super::RunSuite;
use crate::terminal::render_findings;

/// Renders the findings and differences, each at its line of the suite.
pub(super) fn render_github(run: &[RunSuite<'_>], sources: &mut Sources) -> String {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for one in run {
        findings.extend(one.suite.findings.iter().cloned());
        for (case, result) in &one.cases {
            findings.extend(describe_result(one.suite, case, result, sources));
        }
    }
    render_findings(RenderFormat::Github, &findings, sources, &RenderOptions::default())
}
