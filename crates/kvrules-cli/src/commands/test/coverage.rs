//! Coverage as a table, on the lines of the rules, and in the format of lcov.

use std::fmt::Write as _;
use std::path::Path;

use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::test::{CoverageCount, MeasuredRules, RuleCoverage, render_lcov};
use kvrules::{Diagnostic, Level, Sources};

use super::Measured;
use crate::commands::table::{Table, Tone};
use crate::failure::Failure;
use crate::paths::display_path;
use crate::terminal::{ColorPainter, render_findings};

/// Renders the table, what is missing on the lines of the rules, and the total.
pub(super) fn render_coverage(measured: &[Measured<'_>], sources: &Sources, paint: ColorPainter) -> String {
    let mut table = Table::new(["rule", "satisfied", "violated", "errors", "outcomes"]);
    let mut findings = Vec::new();
    let with_rules: Vec<_> = measured.iter().filter(|one| !one.coverage.is_empty()).collect();
    for forms in with_rules.chunk_by(|one, other| one.rules.origin == other.rules.origin) {
        let Some(first) = forms.first() else { continue };
        table.line(&display_path(&first.rules.origin.path));
        for (index, rule) in first.coverage.iter().enumerate() {
            let covered = RuleForms::new(index, rule, forms);
            table.row(covered.table_row());
            findings.extend(covered.missing_finding(sources));
        }
    }
    let options = RenderOptions { color: paint.0, ..RenderOptions::default() };
    let mut text = render_findings(RenderFormat::Human, &findings, sources, &options);
    let total = total_count(measured);
    if total.total == 0 {
        return text + "\ncoverage: the cases are about no rules with outcomes\n";
    }
    let _ = write!(text, "\n{}", table.text(paint));
    let _ =
        write!(text, "\ncoverage: {} of {} outcomes, {} %\n", total.covered, total.total, total.to_percent());
    text
}

/// Writes the percentage as a badge, in the format that shields.io reads from an address.
pub(super) fn write_badge(path: &Path, measured: &[Measured<'_>]) -> Result<(), Failure> {
    let count = total_count(measured);
    if count.total == 0 {
        return Err(Failure::new("the cases are about no rules, so that there is no coverage for a badge"));
    }
    let percent = count.to_percent();
    let color = match percent {
        100 => "brightgreen",
        90.. => "green",
        75.. => "yellow",
        50.. => "orange",
        _ => "red",
    };
    let badge = serde_json::json!({"schemaVersion": 1, "label": "rule coverage", "message": format!("{percent} %"), "color": color});
    std::fs::write(path, format!("{badge:#}\n")).map_err(|error| Failure::file("write", path, &error))
}

/// Returns the number of covered outcomes of all rules.
pub(super) fn total_count(measured: &[Measured<'_>]) -> CoverageCount {
    let rules = measured.iter().flat_map(|one| &one.coverage);
    rules.fold(CoverageCount::default(), |sum, rule| sum.add_count(rule.count_outcomes()))
}

/// The coverage of a rule in each form that is made of it: some policies are evaluated for several kinds of objects.
struct RuleForms<'m, 's> {
    forms: Vec<(&'m MeasuredRules<'s>, &'m RuleCoverage)>,
}

impl<'m, 's> RuleForms<'m, 's> {
    fn new(index: usize, rule: &RuleCoverage, forms: &[&'m Measured<'s>]) -> Self {
        let same = |known: &&RuleCoverage| known.site.name == rule.site.name;
        let form = |one: &&'m Measured<'s>| Some((&one.rules, one.coverage.get(index).filter(same)?));
        Self { forms: forms.iter().filter_map(form).collect() }
    }

    fn sum(&self, count: impl Fn(&RuleCoverage) -> usize) -> usize {
        self.forms.iter().map(|(_, rule)| count(rule)).sum()
    }

    fn count_outcomes(&self) -> CoverageCount {
        let counts = self.forms.iter().map(|(_, rule)| rule.count_outcomes());
        counts.fold(CoverageCount::default(), CoverageCount::add_count)
    }

    fn table_row(&self) -> Vec<(String, Tone)> {
        let count = self.count_outcomes();
        let tone = |count: usize| if count > 0 { Tone::Good } else { Tone::Bad };
        let whole = if count.covered == count.total { Tone::Good } else { Tone::Warn };
        let (satisfied, violated) = (self.sum(|rule| rule.satisfied), self.sum(|rule| rule.violated));
        let name = self.forms.first().map(|(_, rule)| rule.site.name.clone()).unwrap_or_default();
        vec![
            (name, Tone::Plain),
            (satisfied.to_string(), tone(satisfied)),
            (violated.to_string(), tone(violated)),
            (self.sum(|rule| rule.errors).to_string(), Tone::Plain),
            (format!("{} of {}", count.covered, count.total), whole),
        ]
    }

    /// The rule in its file, with what no case reaches.
    fn missing_finding(&self, sources: &Sources) -> Option<Diagnostic> {
        let (rules, rule) = self.forms.first()?;
        let missing: Vec<String> = self.forms.iter().filter_map(|form| self.describe_missing(form)).collect();
        if missing.is_empty() {
            return None;
        }
        let span = rules.find_span(&rule.site, sources)?;
        let count = self.count_outcomes();
        let message = format!("{} of {} outcomes are not covered", count.total - count.covered, count.total);
        let finding = Diagnostic::refused_input("coverage", span, message).with_help(missing.join("; "));
        Some(Diagnostic { level: Level::Warning, ..finding })
    }

    /// Describes what no case reaches of a form, after the resources that it is for if there are several forms.
    fn describe_missing(&self, (rules, rule): &(&MeasuredRules<'_>, &RuleCoverage)) -> Option<String> {
        let missing = rule.describe_missing();
        if missing.is_empty() {
            return None;
        }
        let missing = missing.join("; ");
        let resources = rules.matched_resources().join(", ");
        Some(if self.forms.len() > 1 { format!("for {resources}: {missing}") } else { missing })
    }
}

/// Writes the coverage for editors and CI services.
pub(super) fn write_lcov(path: &Path, measured: &[Measured<'_>], sources: &Sources) -> Result<(), Failure> {
    let all: Vec<(&MeasuredRules<'_>, Vec<RuleCoverage>)> =
        measured.iter().map(|one| (&one.rules, one.coverage.clone())).collect();
    std::fs::write(path, render_lcov(&all, sources)).map_err(|error| Failure::file("write", path, &error))
}
