//! `kvrules cost --matrix`: rules by Kubernetes versions, with the share of the budget that each has there.

use kvrules::SourceFile;
use kvrules::crd::{
    CostColumn, DefinitionMatrix, EXPRESSION_LIMIT, KubernetesVersion, KubernetesVersions, RuleShares,
    SCHEMA_LIMIT, VersionMatrix, format_thousands, share_percent,
};
use serde_json::{Value, json};

use super::layout::{each_definition, expression_cell, place_cell, render_report, title_line};
use crate::commands::table::{Table, Tone};
use crate::terminal::ColorPainter;

/// Maximum length of an expression that is shown.
const SHOWN: usize = 50;

/// True if something of a definition is over its budget on a server.
pub(super) fn is_over(definition: &DefinitionMatrix) -> bool {
    definition
        .versions
        .iter()
        .any(|version| version.is_over() || version.rules.iter().any(RuleShares::is_over))
}

/// The report for a person. Neighbouring versions with the same costs share a column.
pub(super) fn render_human<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionMatrix])>,
    only_over: bool,
    paint: ColorPainter,
) -> String {
    let render = |(source, definition): (_, &'a DefinitionMatrix)| {
        let versions = definition.versions.iter();
        versions.map(move |version| of_version(source, definition, version, only_over, paint))
    };
    each_definition(files).flat_map(render).collect()
}

fn of_version(
    source: &SourceFile,
    definition: &DefinitionMatrix,
    version: &VersionMatrix,
    only_over: bool,
    paint: ColorPainter,
) -> String {
    let rules: Vec<&RuleShares> = version.rules.iter().filter(|rule| !only_over || rule.is_over()).collect();
    if rules.is_empty() && !(version.is_over() && only_over) {
        return String::new();
    }
    let mut text = title_line(source, definition.span.start, (&definition.name, &version.name), paint);
    let columns = version.shared_columns(&rules);
    let headings = ["place".to_owned(), "expression".to_owned()].into_iter();
    let mut table = Table::new(headings.chain(columns.iter().map(|column| column.heading.clone())));
    let cells = |estimates: &[(KubernetesVersion, Option<u64>)], limit: u64| -> Vec<(String, Tone)> {
        let limit = version.is_limited.then_some(limit);
        let cell = |column: &CostColumn| share_cell(estimates.get(column.index).and_then(|it| it.1), limit);
        columns.iter().map(cell).collect()
    };
    let totals: Vec<_> = version.totals.iter().map(|(version, total)| (*version, Some(*total))).collect();
    let head = vec![(String::new(), Tone::Plain), ("all rules together".to_owned(), Tone::Plain)];
    table.row(head.into_iter().chain(cells(&totals, SCHEMA_LIMIT)).collect());
    for rule in rules {
        let place = place_cell(source, rule.span.start, &rule.name, rule.field);
        let expression = expression_cell(&rule.text, SHOWN);
        let head = vec![(place, Tone::Plain), (expression, Tone::Plain)];
        table.row(head.into_iter().chain(cells(&rule.estimates, EXPRESSION_LIMIT)).collect());
    }
    text.push_str(&table.text(paint));
    text.push('\n');
    text
}

/// The part of a limit; the cost itself without a limit.
fn share_cell(estimate: Option<u64>, limit: Option<u64>) -> (String, Tone) {
    let Some(limit) = limit else {
        return (estimate.map_or_else(|| "-".to_owned(), format_thousands), Tone::Plain);
    };
    match estimate {
        None => ("-".to_owned(), Tone::Warn),
        Some(cost) if cost > limit => (share_percent(cost, limit), Tone::Bad),
        Some(cost) => (share_percent(cost, limit), Tone::Plain),
    }
}

/// The report for programs.
pub(super) fn render_json<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionMatrix])>,
    versions: KubernetesVersions,
    only_over: bool,
) -> String {
    let kubernetes = versions.iter().map(|version| version.to_string()).collect();
    let more = [("kubernetes".to_owned(), kubernetes)].into_iter().collect();
    render_report(files, more, |source, definition| definition_json(source, definition, only_over))
}

fn definition_json(source: &SourceFile, definition: &DefinitionMatrix, only_over: bool) -> Value {
    let version = |version: &VersionMatrix| {
        let rules = version.rules.iter().filter(|rule| !only_over || rule.is_over());
        let totals = version.totals.iter().map(|(version, total)| (version.to_string(), json!(total)));
        json!({
            "name": version.name,
            "totals": totals.collect::<serde_json::Map<_, _>>(),
            "over": version.is_over(),
            "rules": rules.map(|rule| rule_json(source, rule)).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": definition.name,
        "line": source.position_at(definition.span.start).line,
        "versions": definition.versions.iter().map(version).collect::<Vec<_>>(),
    })
}

fn rule_json(source: &SourceFile, rule: &RuleShares) -> Value {
    let at = source.position_at(rule.span.start);
    let estimates = rule.estimates.iter().map(|(version, estimate)| (version.to_string(), json!(estimate)));
    json!({
        "schemaPath": rule.path,
        "index": rule.index,
        "field": rule.field.as_str(),
        "name": rule.name,
        "line": at.line,
        "column": at.column,
        "expression": rule.text,
        "estimates": estimates.collect::<serde_json::Map<_, _>>(),
        "over": rule.is_over(),
    })
}
