//! Coverage of rules of templates: which rules the cases satisfy, violate and skip.

use super::coverage::{BranchCoverage, RuleCoverage};
use super::sites::{MeasuredRules, RuleSite};
use crate::run::evaluate_object;

/// Name of the branch of a guard.
const GUARD: &str = "the rule applies";

/// Measures the coverage of every rule.
pub(super) fn measure_template(rules: &MeasuredRules<'_>) -> Vec<RuleCoverage> {
    let outcomes: Vec<Vec<(String, &'static str)>> = rules
        .cases
        .iter()
        .map(|case| {
            let template = case.subject.template.as_ref();
            let evaluation = template.and_then(|template| evaluate_object(template, &case.input.object));
            let answers = evaluation.and_then(|it| it.spec).map(|answer| answer.rules).unwrap_or_default();
            answers.into_iter().map(|rule| (rule.name, rule.outcome)).collect()
        })
        .collect();
    let measure = |site: &RuleSite| {
        let count = |wanted: &str| {
            let has = |case: &&Vec<(String, &'static str)>| {
                case.iter().any(|(name, outcome)| *name == site.name && *outcome == wanted)
            };
            outcomes.iter().filter(has).count()
        };
        let (satisfied, violated, skipped) = (count("satisfied"), count("violated"), count("skipped"));
        let guard = BranchCoverage {
            text: GUARD.to_owned(),
            start: 0,
            is_true: satisfied + violated,
            is_false: skipped,
        };
        RuleCoverage {
            site: site.clone(),
            evaluated: satisfied + violated,
            satisfied,
            violated,
            errors: count("not evaluated"),
            branches: if site.has_guard { vec![guard] } else { Vec::new() },
            boundaries: Vec::new(),
        }
    };
    rules.sites.iter().map(measure).collect()
}
