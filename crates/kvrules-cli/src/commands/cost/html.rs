//! The costs as an HTML page with pictures: a bar for each expression, or shares of budgets by Kubernetes version.

use kvrules::SourceFile;
use kvrules::crd::{
    DefinitionCost, DefinitionMatrix, EXPRESSION_LIMIT, ExpressionField, RuleCost, SCHEMA_LIMIT, VersionCost,
    VersionMatrix, format_thousands, share_percent,
};
use kvrules::pictures::{
    CostBar, CostCell, CostGrid, CostRow, CostShare, Picture, draw_cost_bars, draw_cost_grid,
};
use kvrules::render::xml::escape_text;

use super::layout::{each_definition, expression_name, join_lines};
use crate::commands::html_page::write_page;
use crate::naming::NamingBase;

const INTRODUCTION: &str = "Estimates of the API server. In a definition, an expression may cost 10,000,000, all of one \
                            version 100,000,000. In policies there is no limit on estimates.";

/// A page of bars, the most expensive expression first.
pub(super) fn render_bars<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionCost])>,
    only_over: bool,
    base: &NamingBase,
) -> String {
    let mut body = String::new();
    for (source, definition) in each_definition(files) {
        let place = place_of(source, definition.span.start, base);
        for version in &definition.versions {
            let bars = bars_of(version, only_over);
            if !bars.is_empty() {
                body += &section(&definition.name, &version.name, &place, &draw_cost_bars(&bars));
            }
        }
    }
    write_page("Cost of rules in CEL", INTRODUCTION, &body)
}

fn bars_of(version: &VersionCost, only_over: bool) -> Vec<CostBar> {
    let total = CostBar {
        label: "all rules together".to_owned(),
        cost: Some(version.total),
        budget: version.is_limited.then_some(SCHEMA_LIMIT),
    };
    let is_shown = |rule: &&RuleCost| !only_over || rule.is_over();
    let of_rule = |rule: &RuleCost| CostBar {
        label: expression_label(&rule.name, rule.field, &rule.text),
        cost: rule.estimate,
        budget: rule.is_limited.then_some(EXPRESSION_LIMIT),
    };
    let rules: Vec<CostBar> = version.rules.iter().filter(is_shown).map(of_rule).collect();
    let shows_total = !only_over || version.is_over();
    if rules.is_empty() && !(only_over && shows_total) {
        return Vec::new();
    }
    shows_total.then_some(total).into_iter().chain(rules).collect()
}

/// A page of shares by version.
pub(super) fn render_grids<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionMatrix])>,
    only_over: bool,
    base: &NamingBase,
) -> String {
    let mut body = String::new();
    for (source, definition) in each_definition(files) {
        let place = place_of(source, definition.span.start, base);
        for version in &definition.versions {
            if let Some(grid) = grid_of(version, only_over) {
                body += &section(&definition.name, &version.name, &place, &draw_cost_grid(&grid));
            }
        }
    }
    write_page("Cost of rules in CEL by Kubernetes version", INTRODUCTION, &body)
}

fn grid_of(version: &VersionMatrix, only_over: bool) -> Option<CostGrid> {
    let rules: Vec<_> = version.rules.iter().filter(|rule| !only_over || rule.is_over()).collect();
    if rules.is_empty() && !(version.is_over() && only_over) {
        return None;
    }
    let columns = version.shared_columns(&rules);
    let cell = |cost: Option<u64>, limit: u64| cost_cell(cost, version.is_limited.then_some(limit));
    let totals = columns
        .iter()
        .map(|column| cell(version.totals.get(column.index).map(|(_, total)| *total), SCHEMA_LIMIT));
    let mut rows = vec![CostRow { label: "all rules together".to_owned(), cells: totals.collect() }];
    for rule in rules {
        let cells = columns
            .iter()
            .map(|column| cell(rule.estimates.get(column.index).and_then(|it| it.1), EXPRESSION_LIMIT));
        rows.push(CostRow {
            label: expression_label(&rule.name, rule.field, &rule.text),
            cells: cells.collect(),
        });
    }
    Some(CostGrid { versions: columns.into_iter().map(|column| column.heading).collect(), rows })
}

/// The share of a limit; the cost itself without a limit.
fn cost_cell(cost: Option<u64>, limit: Option<u64>) -> CostCell {
    let text = match (cost, limit) {
        (None, _) => "-".to_owned(),
        (Some(cost), None) => format_thousands(cost),
        (Some(cost), Some(limit)) => share_percent(cost, limit),
    };
    CostCell { text, share: CostShare::of_cost(cost, limit.unwrap_or(u64::MAX)) }
}

fn expression_label(name: &str, field: ExpressionField, text: &str) -> String {
    format!("{}: {}", expression_name(name, field), join_lines(text))
}

/// The file and the line of a definition.
fn place_of(source: &SourceFile, start: u32, base: &NamingBase) -> String {
    format!("{}:{}", base.page_name(source.name()), source.position_at(start).line)
}

fn section(definition: &str, version: &str, place: &str, picture: &Picture) -> String {
    let title = escape_text(&format!("{definition} {version}"));
    let place = escape_text(place);
    format!("<section>\n<h2>{title}</h2>\n<p>{place}</p>\n{}\n</section>\n", picture.to_scrolling())
}
