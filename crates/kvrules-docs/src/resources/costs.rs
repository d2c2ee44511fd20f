//! The costs of the rules of a version, for maintainers: estimates as bars, and by versions of Kubernetes where they differ.

use kvrules_crd::{
    EXPRESSION_LIMIT, ExpressionField, KubernetesVersions, RuleShares, SCHEMA_LIMIT, VersionMatrix,
    format_thousands, share_percent,
};
use kvrules_pages::Text;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::{FactPicture, PictureCost, PictureCostRow};
use kvrules_pages::prose::Prose;
use kvrules_pages::resources::ResourceSection;
use serde_json::Value as Json;

use super::names::PageNames;
use super::values::{line_fact, list_fact, words_piece};

/// Number of rules that are shown, the most expensive.
const SHOWN: usize = 10;

/// The longest expression that a label shows, in characters.
const LONGEST: usize = 80;

/// Returns the section about the costs of the rules of a schema; `None` if it has no rules.
pub(super) fn costs_section(schema: &Json, names: &mut PageNames) -> Option<ResourceSection> {
    let matrix = VersionMatrix::of_schema("", schema, KubernetesVersions::all_known());
    let mut rules: Vec<&RuleShares> = matrix.rules.iter().collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(newest_cost(rule)));
    rules.truncate(SHOWN);
    let total = matrix.totals.last().map(|(_, total)| *total)?;
    if rules.is_empty() {
        return None;
    }
    let (anchor, label) = names.add_name("costs");
    let mut facts = vec![
        line_fact("cost", "All rules", vec![cost_piece(Some(total), SCHEMA_LIMIT)]),
        rules_fact(&rules),
        bars_fact(total, &rules),
    ];
    facts.extend(grid_fact(&matrix, &rules));
    let title = "Cost of rules".to_owned();
    Some(ResourceSection { title, anchor, label, is_folded: true, facts, ..ResourceSection::default() })
}

fn newest_cost(rule: &RuleShares) -> Option<u64> {
    rule.estimates.last().and_then(|(_, cost)| *cost)
}

/// `1,234 of 10,000,000 (<0.1 %)`
fn cost_piece(cost: Option<u64>, limit: u64) -> Piece {
    let words = cost.map_or_else(
        || "no estimate".to_owned(),
        |cost| {
            format!(
                "{} of {} ({})",
                format_thousands(cost),
                format_thousands(limit),
                share_percent(cost, limit)
            )
        },
    );
    Piece::Text(Text::from_prose(&Prose::from(words)))
}

/// The rules in words, for formats without pictures too.
fn rules_fact(rules: &[&RuleShares]) -> Fact {
    let item = |rule: &&RuleShares| {
        let mut item = Vec::new();
        if !rule.name.is_empty() {
            item.extend([Piece::of_code(&rule.name), words_piece(": ")]);
        }
        item.extend([
            Piece::of_code(&expression_line(rule)),
            words_piece(": "),
            cost_piece(newest_cost(rule), EXPRESSION_LIMIT),
        ]);
        item
    };
    list_fact("rule-costs", "Most expensive", rules.iter().map(item).collect())
}

fn bars_fact(total: u64, rules: &[&RuleShares]) -> Fact {
    let all =
        PictureCost { label: "all rules together".to_owned(), cost: Some(total), budget: Some(SCHEMA_LIMIT) };
    let of_rule = |rule: &&RuleShares| PictureCost {
        label: rule_label(rule),
        cost: newest_cost(rule),
        budget: Some(EXPRESSION_LIMIT),
    };
    let costs = std::iter::once(all).chain(rules.iter().map(of_rule)).collect();
    line_fact("cost-bars", "Shares of budgets", vec![Piece::Picture(FactPicture::CostBars { costs })])
}

/// The costs by versions, if they are not all the same.
fn grid_fact(matrix: &VersionMatrix, rules: &[&RuleShares]) -> Option<Fact> {
    let columns = matrix.shared_columns(rules);
    if columns.len() < 2 {
        return None;
    }
    let share = |cost: Option<u64>, limit: u64| {
        (cost, cost.map_or_else(|| "-".to_owned(), |cost| share_percent(cost, limit)))
    };
    let totals = columns.iter().map(|column| matrix.totals.get(column.index).map(|(_, total)| *total));
    let all = PictureCostRow {
        label: "all rules together".to_owned(),
        budget: SCHEMA_LIMIT,
        costs: totals.map(|total| share(total, SCHEMA_LIMIT)).collect(),
    };
    let of_rule = |rule: &&RuleShares| {
        let costs = columns.iter().map(|column| rule.estimates.get(column.index).and_then(|it| it.1));
        PictureCostRow {
            label: rule_label(rule),
            budget: EXPRESSION_LIMIT,
            costs: costs.map(|cost| share(cost, EXPRESSION_LIMIT)).collect(),
        }
    };
    let rows = std::iter::once(all).chain(rules.iter().map(of_rule)).collect();
    let versions: Vec<String> = columns.into_iter().map(|column| column.heading).collect();
    let line = vec![
        Piece::of_text(format!("estimates differ between {}", versions.join(" and "))),
        Piece::Picture(FactPicture::CostGrid { versions, rows }),
    ];
    Some(line_fact("cost-grid", "By Kubernetes version", line))
}

/// The place of a rule and its expression.
fn rule_label(rule: &RuleShares) -> String {
    let name = if rule.name.is_empty() { "(object)" } else { &rule.name };
    let field = if rule.field == ExpressionField::Rule { "" } else { " (message)" };
    format!("{name}{field}: {}", expression_line(rule))
}

/// The expression on one line; of a message, which the report does not repeat, what it is.
fn expression_line(rule: &RuleShares) -> String {
    if rule.field == ExpressionField::MessageExpression {
        return "messageExpression".to_owned();
    }
    shorten_expression(&rule.text)
}

/// The start of an expression on one line.
pub(super) fn shorten_expression(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
