//! The costs for programs.

use kvrules::SourceFile;
use kvrules::crd::{
    DefinitionCost, EXPRESSION_LIMIT, EquivalentRule, ProposedBound, RuleCost, SCHEMA_LIMIT, VersionCost,
};
use serde_json::{Map, Value, json};

use super::layout::render_report;

/// The whole report.
pub(super) fn render_json<'a>(
    files: impl Iterator<Item = (&'a SourceFile, &'a [DefinitionCost])>,
    only_over: bool,
) -> String {
    render_report(files, Map::new(), |source, definition| definition_json(source, definition, only_over))
}

fn definition_json(source: &SourceFile, definition: &DefinitionCost, only_over: bool) -> Value {
    let versions =
        definition.versions.iter().map(|it| version_json(source, it, only_over, definition.is_rule_set));
    json!({
        "name": definition.name,
        "line": source.position_at(definition.span.start).line,
        "versions": versions.collect::<Vec<_>>(),
    })
}

fn version_json(source: &SourceFile, version: &VersionCost, only_over: bool, is_rule_set: bool) -> Value {
    let rules = version.rules.iter().filter(|rule| !only_over || rule.is_over());
    let mut report = json!({
        "name": version.name,
        "total": version.total,
        "share": version.is_limited.then(|| budget_share(version.total, SCHEMA_LIMIT)),
        "over": version.is_over(),
        "bounds": version.bounds.iter().map(|it| bound_json(source, it)).collect::<Vec<_>>(),
        "rules": rules.map(|it| rule_json(source, it)).collect::<Vec<_>>(),
    });
    if let Some(fields) = report.as_object_mut().filter(|_| is_rule_set) {
        fields.insert("ofOthers".to_owned(), version.of_others.into());
        fields.insert("limited".to_owned(), version.is_limited.into());
    }
    report
}

fn rule_json(source: &SourceFile, rule: &RuleCost) -> Value {
    let at = source.position_at(rule.span.start);
    let mut report = json!({
        "schemaPath": rule.path,
        "index": rule.index,
        "field": rule.field.as_str(),
        "name": rule.name,
        "line": at.line,
        "column": at.column,
        "expression": rule.text,
        "cost": rule.cost,
        "evaluations": rule.evaluations,
        "bounded": rule.is_bounded,
        "estimate": rule.estimate,
        "share": rule.estimate.filter(|_| rule.is_limited).map(|estimate| budget_share(estimate, EXPRESSION_LIMIT)),
        "over": rule.is_over(),
        "bounds": rule.bounds.iter().map(|it| bound_json(source, it)).collect::<Vec<_>>(),
    });
    if let (Some(fields), Some(cheaper)) = (report.as_object_mut(), &rule.cheaper) {
        fields.insert("cheaper".to_owned(), cheaper_json(cheaper));
    }
    if let Some(fields) = report.as_object_mut().filter(|_| rule.lacks_form) {
        fields.insert("lacksForm".to_owned(), true.into());
    }
    report
}

fn cheaper_json(cheaper: &EquivalentRule) -> Value {
    json!({ "expression": cheaper.text, "cost": cheaper.cost, "estimate": cheaper.estimate,
        "needed": cheaper.is_needed })
}

fn bound_json(source: &SourceFile, bound: &ProposedBound) -> Value {
    json!({
        "name": bound.name,
        "keyword": bound.keyword,
        "most": bound.most,
        "declared": bound.declared,
        "line": bound.span.map(|span| source.position_at(span.start).line),
    })
}

/// The part of a limit, to four digits.
#[expect(clippy::cast_precision_loss, reason = "a share is read by eye")]
fn budget_share(cost: u64, limit: u64) -> f64 {
    (cost as f64 / limit as f64 * 10_000.0).round() / 10_000.0
}
