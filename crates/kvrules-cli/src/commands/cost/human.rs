//! The costs for a person: one line a rule with a bar, the most expensive first, and below what is too expensive the bounds that help.

use std::fmt::Write as _;

use kvrules::SourceFile;
use kvrules::crd::{
    DefinitionCost, EXPRESSION_LIMIT, ProposedBound, RuleCost, SCHEMA_LIMIT, VersionCost,
    advise_simplification, format_thousands, share_percent,
};

use kvrules::render::one_line;

use super::layout::{each_definition, expression_cell, join_lines, place_cell, title_line};
use crate::sentences::count_noun;
use crate::terminal::ColorPainter;

/// Length of a bar for the whole budget.
const BAR: usize = 20;
/// Maximum length of an expression that is shown.
const SHOWN: usize = 70;

/// The whole report.
pub(super) fn render_human<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionCost])>,
    only_over: bool,
    paint: ColorPainter,
) -> String {
    let render = |(source, definition): (_, &'a DefinitionCost)| {
        let versions = definition.versions.iter();
        versions.map(move |version| of_version(source, definition, version, only_over, paint))
    };
    each_definition(files).flat_map(render).collect()
}

/// Everything of a definition that is over a budget, by a word for each.
pub(super) fn exceeded_budgets(definition: &DefinitionCost) -> Vec<&'static str> {
    let of = |version: &VersionCost| {
        let rules = version.rules.iter().filter(|rule| rule.is_over()).map(|rule| rule.field.as_str());
        let rules: Vec<&'static str> = rules.collect();
        // If single rules exceed their budget, the sum is not reported as well.
        let sum = (version.is_over() && rules.is_empty()).then_some("sum");
        rules.into_iter().chain(sum).collect::<Vec<_>>()
    };
    definition.versions.iter().flat_map(of).collect()
}

/// Number of expressions without a cost: they have errors, or depend on what is unknown.
pub(super) fn unpriced(definition: &DefinitionCost) -> usize {
    let rules = definition.versions.iter().flat_map(|version| &version.rules);
    rules.filter(|rule| rule.estimate.is_none()).count()
}

/// Number of rules that a selected Kubernetes version does not take as they are.
pub(super) fn rejected_rules(definition: &DefinitionCost) -> usize {
    let rules = definition.versions.iter().flat_map(|version| &version.rules);
    let is_rejected =
        |rule: &&RuleCost| rule.lacks_form || rule.cheaper.as_ref().is_some_and(|cheaper| cheaper.is_needed);
    rules.filter(is_rejected).count()
}

/// Summarises the definitions and the result, in one line.
pub(super) fn cost_summary<'a>(definitions: impl Iterator<Item = &'a DefinitionCost>) -> String {
    let (mut number, mut sets, mut rules, mut above, mut unpriced, mut rejected) = (0, 0, 0, 0, 0, 0);
    for definition in definitions {
        if definition.is_rule_set {
            sets += 1;
        } else {
            number += 1;
        }
        rules += definition.versions.iter().map(|version| version.rules.len()).sum::<usize>();
        above += exceeded_budgets(definition).len();
        unpriced += self::unpriced(definition);
        rejected += rejected_rules(definition);
    }
    let counts = [(number, "definition"), (sets, "RuleSet")].into_iter().filter(|(number, _)| *number > 0);
    let inputs = counts.map(|(number, noun)| count_noun(number, noun)).collect::<Vec<_>>().join(" and ");
    if inputs.is_empty() {
        return "priced nothing: there are no CustomResourceDefinitions or RuleSets".to_owned();
    }
    if rules == 0 {
        return format!("priced nothing: no expressions in {inputs}");
    }
    let found = match above {
        0 if rejected > 0 => "nothing is over its budget on the newest server".to_owned(),
        0 => "nothing is over its budget".to_owned(),
        1 => "1 is over its budget".to_owned(),
        above => format!("{above} are over their budgets"),
    };
    let without = match unpriced {
        0 => String::new(),
        1 => "; 1 expression has no cost, `kvrules check` reports why".to_owned(),
        unpriced => format!("; {unpriced} expressions have no cost, `kvrules check` reports why"),
    };
    let older = match rejected {
        0 => String::new(),
        1 => "; a selected Kubernetes version rejects 1 rule".to_owned(),
        rejected => format!("; selected Kubernetes versions reject {rejected} rules"),
    };
    let priced = count_noun(rules - unpriced, "expression");
    format!("priced {priced} of {inputs}: {found}{without}{older}")
}

fn of_version(
    source: &SourceFile,
    definition: &DefinitionCost,
    version: &VersionCost,
    only_over: bool,
    paint: ColorPainter,
) -> String {
    let rules: Vec<&RuleCost> = version.rules.iter().filter(|rule| !only_over || rule.is_over()).collect();
    if rules.is_empty() && !version.is_over() {
        return String::new();
    }
    let mut text = title_line(source, definition.span.start, (&definition.name, &version.name), paint);
    let _ = writeln!(text, "  {}", describe_total(version));
    // If single rules exceed their budget, the bounds are listed with those rules.
    if version.is_over() && !version.rules.iter().any(RuleCost::is_over) {
        text.push_str(&render_bounds(&version.bounds, NO_BOUNDS, paint));
    }
    text.push('\n');
    let cells: Vec<[String; 4]> = rules.iter().map(|rule| rule_cells(source, rule)).collect();
    let width = |column: usize| {
        cells.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (estimates, shares, places) = (width(0), width(1), width(2));
    for (rule, [estimate, share, place, expression]) in rules.iter().zip(&cells) {
        let bar = share_bar(rule.estimate.filter(|_| rule.is_limited));
        let bar = if rule.is_over() { paint.red(&bar) } else { bar };
        let line =
            format!("  {bar} {estimate:>estimates$}  {share:>shares$}  {place:<places$}  {expression}");
        text.push_str(line.trim_end());
        text.push('\n');
        if rule.is_over() {
            text.push_str(&describe_factors(rule));
            text.push_str(&render_bounds(&rule.bounds, &advise_simplification(&rule.text), paint));
        }
        text.push_str(&describe_cheaper(rule, paint));
    }
    text.push('\n');
    text
}

/// The cost of all rules together.
fn describe_total(version: &VersionCost) -> String {
    let total = format_thousands(version.total);
    if !version.is_limited {
        return format!("{total} for all rules together; policies have no limit on estimates");
    }
    let (most, share) = (format_thousands(SCHEMA_LIMIT), share_percent(version.total, SCHEMA_LIMIT));
    let others = match version.of_others {
        0 => String::new(),
        others => format!(", {} of it for the rules of the definition", format_thousands(others)),
    };
    format!("{total} of {most} for all rules together, {share}{others}")
}

/// The estimate, its share, the place and the expression of a rule.
fn rule_cells(source: &SourceFile, rule: &RuleCost) -> [String; 4] {
    let estimate = rule.estimate.map_or_else(|| "?".to_owned(), format_thousands);
    let limited = rule.estimate.filter(|_| rule.is_limited);
    let share = limited.map_or_else(String::new, |estimate| share_percent(estimate, EXPRESSION_LIMIT));
    let place = place_cell(source, rule.span.start, &rule.name, rule.field);
    [estimate, share, place, expression_cell(&rule.text, SHOWN)]
}

/// Describes the factors of a product.
fn describe_factors(rule: &RuleCost) -> String {
    let Some(cost) = rule.cost.filter(|_| rule.evaluations > 1) else { return String::new() };
    let why = if rule.is_bounded { "" } else { ", because an enclosing list or map has no bound" };
    format!(
        "      {} at each of {} evaluations{why}\n",
        format_thousands(cost),
        format_thousands(rule.evaluations)
    )
}

/// An equivalent form that costs less, with its cost.
fn describe_cheaper(rule: &RuleCost, paint: ColorPainter) -> String {
    if rule.lacks_form {
        let text =
            "no form is known that all of these servers take; `kvrules check --kubernetes` reports why";
        return format!("      {text}\n");
    }
    let Some(cheaper) = &rule.cheaper else { return String::new() };
    let line = join_lines(&cheaper.text);
    let (cost, form) = (format_thousands(cheaper.estimate), one_line(&line));
    let what = if cheaper.is_needed {
        format!("the same for all of these servers, at most {cost}")
    } else {
        format!("the same for {cost}")
    };
    format!("      {what}: {}\n", paint.green(&form))
}

/// Advice if no bounds bring the total of all rules under its budget.
const NO_BOUNDS: &str = "no bounds on lists, maps and strings bring it under: simplify the rules";

/// The bounds that bring something under its budget, one a line; without any, the `advice`.
fn render_bounds(bounds: &[ProposedBound], advice: &str, paint: ColorPainter) -> String {
    if bounds.is_empty() {
        return format!("      {}\n", one_line(advice));
    }
    let line = |bound: &ProposedBound| {
        let name = one_line(if bound.name.is_empty() { "(root)" } else { &bound.name });
        let instead = bound.declared.map(|declared| format!(" instead of {declared}")).unwrap_or_default();
        format!("      {}{instead} on {name}\n", paint.green(&format!("{}: {}", bound.keyword, bound.most)))
    };
    let lines: String = bounds.iter().map(line).collect();
    format!("      it fits with\n{lines}")
}

/// A bar as long as the share of the budget; what is over it ends in an arrow.
fn share_bar(estimate: Option<u64>) -> String {
    let Some(estimate) = estimate else { return format!("[{:<BAR$}]", "") };
    if estimate > EXPRESSION_LIMIT {
        return format!("[{}>", "#".repeat(BAR));
    }
    let length = usize::try_from(estimate * BAR as u64 / EXPRESSION_LIMIT).unwrap_or(BAR).min(BAR);
    let length = if estimate > 0 { length.max(1) } else { 0 };
    format!("[{:<BAR$}]", "#".repeat(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_limit_and_an_arrow_above() {
        assert_eq!(share_bar(Some(EXPRESSION_LIMIT)), format!("[{}]", "#".repeat(BAR)));
        assert_eq!(share_bar(Some(EXPRESSION_LIMIT + 1)), format!("[{}>", "#".repeat(BAR)));
        assert_eq!(share_bar(Some(1)), format!("[#{}]", " ".repeat(BAR - 1)));
        assert_eq!(share_bar(Some(0)).trim_matches(['[', ']', ' ']), "");
    }
}
