//! Results for programs.

use kvrules::render::json_text;
use kvrules::test::{AnswerVerdict, CaseResult, ExpectedVerdict, TestCase, Violation};
use kvrules::{Diagnostic, Sources, Span};
use serde::Serialize;

use super::coverage::total_count;
use super::{Counts, Measured, RunSuite};

#[derive(Serialize)]
struct Report<'r> {
    summary: Summary,
    suites: Vec<SuiteReport<'r>>,
    #[serde(rename = "coveragePercent", skip_serializing_if = "Option::is_none")]
    percent: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measures: Vec<MeasureReport<'r>>,
}

#[derive(Serialize)]
struct MeasureReport<'r> {
    file: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coverage: Vec<CoverageReport<'r>>,
    #[serde(rename = "mutationScore", skip_serializing_if = "Option::is_none")]
    score: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mutants: Vec<MutantReport<'r>>,
}

#[derive(Serialize)]
struct CoverageReport<'r> {
    rule: &'r str,
    expression: &'r str,
    #[serde(flatten)]
    at: Option<Place>,
    evaluated: usize,
    satisfied: usize,
    violated: usize,
    errors: usize,
    covered: usize,
    total: usize,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct MutantReport<'r> {
    rule: &'r str,
    change: &'r str,
    status: &'static str,
    diff: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    passed: usize,
    failed: usize,
    not_evaluated: usize,
    skipped: usize,
    suite_errors: usize,
}

#[derive(Serialize)]
struct SuiteReport<'r> {
    path: &'r str,
    format: &'r str,
    findings: Vec<FindingReport>,
    cases: Vec<CaseReport<'r>>,
}

#[derive(Serialize)]
struct FindingReport {
    level: &'static str,
    message: String,
    #[serde(flatten)]
    at: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct CaseReport<'r> {
    name: &'r str,
    #[serde(flatten)]
    at: Option<Place>,
    status: &'static str,
    expected: ExpectedVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<AnswerVerdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'r str>,
    messages: Vec<&'r str>,
    warnings: Vec<&'r str>,
    differences: Vec<DifferenceReport<'r>>,
}

#[derive(Serialize)]
struct DifferenceReport<'r> {
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<&'r str>,
    #[serde(flatten)]
    at: Option<Place>,
}

/// Renders the results.
pub(super) fn render_json(run: &[RunSuite<'_>], measured: &[Measured<'_>], sources: &Sources) -> String {
    let counts = Counts::of_suites(run);
    let summary = Summary {
        passed: counts.passed,
        failed: counts.failed,
        not_evaluated: counts.broken,
        skipped: counts.skipped,
        suite_errors: counts.errors,
    };
    let suites = run.iter().map(|one| SuiteReport {
        path: &one.suite.path,
        format: one.suite.format,
        findings: one.suite.findings.iter().map(|finding| to_finding(finding, sources)).collect(),
        cases: one.cases.iter().map(|(case, result)| to_case(case, result, sources)).collect(),
    });
    let reports = measured.iter().map(|one| to_measures(one, sources)).collect();
    let count = total_count(measured);
    let percent = (count.total > 0).then(|| count.to_percent());
    let report = Report { summary, suites: suites.collect(), percent, measures: reports };
    json_text(&serde_json::to_string_pretty(&report).unwrap_or_default()).into_owned() + "\n"
}

fn to_measures<'r>(measured: &'r Measured<'_>, sources: &Sources) -> MeasureReport<'r> {
    let coverage = measured.coverage.iter().map(|one| CoverageReport {
        rule: &one.site.name,
        expression: &one.site.text,
        at: measured.rules.find_span(&one.site, sources).and_then(|span| find_place(span, sources)),
        evaluated: one.evaluated,
        satisfied: one.satisfied,
        violated: one.violated,
        errors: one.errors,
        covered: one.count_outcomes().covered,
        total: one.count_outcomes().total,
        missing: one.describe_missing(),
    });
    let mutants = measured.mutation.iter().flat_map(|report| &report.mutants).map(|it| MutantReport {
        rule: &it.mutant.name,
        change: &it.mutant.description,
        status: it.status.as_str(),
        diff: it.mutant.to_diff(),
    });
    MeasureReport {
        file: measured.rules.origin.path.to_string_lossy().into_owned(),
        coverage: coverage.collect(),
        score: measured.mutation.as_ref().and_then(kvrules::test::MutationReport::total_score),
        mutants: mutants.collect(),
    }
}

fn to_finding(finding: &Diagnostic, sources: &Sources) -> FindingReport {
    let (level, message) = (finding.level.as_str(), finding.message.clone());
    FindingReport { level, message, at: find_place(finding.primary.span, sources) }
}

fn to_case<'r>(case: &'r TestCase, result: &'r CaseResult, sources: &Sources) -> CaseReport<'r> {
    let answer = result.answer.as_ref();
    let differences = result.mismatches.iter().map(|it| DifferenceReport {
        message: &it.message,
        expected: it.expected.as_deref(),
        actual: it.actual.as_deref(),
        at: find_place(it.span.unwrap_or(case.span), sources),
    });
    CaseReport {
        name: &case.name,
        at: find_place(case.span, sources),
        status: result.status.as_str(),
        expected: case.expected.verdict,
        verdict: answer.map(|answer| answer.verdict),
        skipped: case.skipped.as_deref(),
        messages: answer.iter().flat_map(|answer| &answer.violations).map(Violation::message).collect(),
        warnings: answer.iter().flat_map(|answer| &answer.warnings).map(|it| it.text.as_str()).collect(),
        differences: differences.collect(),
    }
}

fn find_place(span: Span, sources: &Sources) -> Option<Place> {
    let source = sources.get(span.file)?;
    let at = source.position_at(span.start);
    Some(Place { file: source.name().to_owned(), line: at.line, column: at.column })
}
