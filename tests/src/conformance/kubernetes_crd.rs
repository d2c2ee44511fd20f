//! Answers of a Kubernetes API server about CustomResourceDefinitions: `crd` is a definition, `expect` what the server
//! says of it. Compared are whether it is accepted, its errors and warnings, every rule with its costs, the total cost, and
//! of each of `objects` the whole answer. With `oldCrd` the definition takes the place of that one.

mod objects;

use std::collections::BTreeMap;

use kvrules_apiserver::cost::RuleReport;
use kvrules_apiserver::definition::{DefinitionReview, review_definition};
use kvrules_apiserver::field_error::FieldError;
use serde_json::{Value, json};

use super::{CaseFormat, Outcome, row::CaseRow};
use crate::objects::or_empty;

pub(super) const FORMAT: CaseFormat =
    CaseFormat { name: "kubernetes-crd", recognises: is_case, judge: run_case };

fn is_case(row: &CaseRow) -> bool {
    row.raw_member("crd").is_some()
        && row.value_member("expect").is_some_and(|expect| expect["accepted"].is_boolean())
}

fn run_case(row: &CaseRow) -> Outcome {
    compare_case(row).outcome()
}

/// Returns the aspects compared in a case, each with whether it agrees.
pub(super) fn compare_aspects(row: &CaseRow) -> Vec<(&'static str, bool)> {
    compare_case(row).aspects
}

fn compare_case(row: &CaseRow) -> AnswerDifferences {
    let (crd, expect) =
        (row.value_member("crd").unwrap_or_default(), row.value_member("expect").unwrap_or_default());
    let old = row.value_member("oldCrd").filter(|old| !old.is_null());
    let review = review_definition(&crd, old.as_ref());
    let mut unlike = AnswerDifferences::default();
    compare_document(&review, &expect, &mut unlike);
    compare_rules(&review, &expect, &mut unlike);
    let inputs = row.value_member("objects").unwrap_or_default();
    objects::compare_objects(&crd, &inputs, &expect["objects"], &mut unlike);
    unlike
}

/// Differences between two answers.
#[derive(Default)]
pub(super) struct AnswerDifferences {
    expected: serde_json::Map<String, Value>,
    actual: serde_json::Map<String, Value>,
    /// Everything that was compared, by what it is.
    aspects: Vec<(&'static str, bool)>,
}

/// Aspects that are counted separately: the last word of the compared part, and its name in reports.
const ASPECTS: [(&str, &str); 7] = [
    ("accepted", "accepted"),
    ("errors", "errors"),
    ("warnings", "warnings"),
    ("valid", "rule valid"),
    ("maxCost", "rule maxCost"),
    ("estimatedCost", "rule estimatedCost"),
    ("messageExpressionMaxCost", "messageExpression maxCost"),
];

impl AnswerDifferences {
    pub(super) fn compare(&mut self, what: impl Into<String>, recorded: Value, ours: Value) {
        let what = what.into();
        let last = what.rsplit(' ').next().unwrap_or_default();
        // The errors of a single rule are compared with its validity.
        let known = ASPECTS
            .iter()
            .find(|(name, _)| *name == last && (!matches!(last, "errors" | "warnings") || what == last));
        self.compare_as(known.map(|(_, aspect)| *aspect), what, recorded, ours);
    }

    /// Compares what is counted under `aspect`.
    fn compare_as(&mut self, aspect: Option<&'static str>, what: String, recorded: Value, ours: Value) {
        self.aspects.extend(aspect.map(|aspect| (aspect, recorded == ours)));
        if recorded != ours {
            self.expected.insert(what.clone(), recorded);
            self.actual.insert(what, ours);
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        if self.expected.is_empty() {
            return Outcome::Agrees;
        }
        Outcome::Differs {
            expected: Value::Object(self.expected).to_string(),
            actual: Value::Object(self.actual).to_string(),
        }
    }
}

/// Compares whether the definition is accepted, its errors, and the server's warnings.
fn compare_document(review: &DefinitionReview, expect: &Value, unlike: &mut AnswerDifferences) {
    let all = review.all_errors();
    unlike.compare("accepted", expect["accepted"].clone(), all.is_empty().into());
    unlike.compare("errors", or_empty(&expect["errors"]), errors_json(&all));
    unlike.compare("warnings", or_empty(&expect["warnings"]), review.warnings.clone().into());
}

/// Every rule, and what they cost together.
fn compare_rules(review: &DefinitionReview, expect: &Value, unlike: &mut AnswerDifferences) {
    let recorded: BTreeMap<String, &Value> =
        list_items(&expect["rules"]).map(|rule| (rule_place(rule), rule)).collect();
    let ours: BTreeMap<String, Value> = review
        .schemas
        .iter()
        .flat_map(|schema| schema.report.rules.iter().map(|rule| shown_rule(rule, schema.version.as_deref())))
        .map(|rule| (rule_place(&rule), rule))
        .collect();
    unlike.compare("rules", recorded.keys().cloned().collect(), ours.keys().cloned().collect());
    for (place, recorded) in &recorded {
        let ours = ours.get(place).cloned().unwrap_or_default();
        for (what, ours) in ours.as_object().into_iter().flatten() {
            let recorded = if what == "errors" { or_empty(&recorded[what]) } else { recorded[what].clone() };
            unlike.compare(format!("{place} {what}"), recorded, ours.clone());
        }
    }
    // The records do not name versions without rules.
    let with_rules = review.schemas.iter().filter(|schema| !schema.report.rules.is_empty());
    let total = with_rules.map(|schema| {
        (schema.version.clone().unwrap_or_else(|| "*".to_owned()), Value::from(schema.report.total_cost))
    });
    // The records leave the sum out where there is no rule.
    if !recorded.is_empty() {
        unlike.compare("totalCost", expect["totalCost"].clone(), total.collect());
    }
}

/// A rule as the records write it.
fn shown_rule(rule: &RuleReport, version: Option<&str>) -> Value {
    json!({
        "version": version,
        "schemaPath": rule.path,
        "index": rule.index,
        "rule": rule.rule,
        "valid": rule.max_cost.is_some() && rule.errors.is_empty(),
        "errors": errors_json(&rule.errors),
        "maxCost": rule.max_cost,
        "maxCardinality": rule.cardinality.map(|it| it.evaluations),
        "cardinalityBounded": rule.cardinality.is_some_and(|it| it.bounded),
        "estimatedCost": rule.estimated_cost,
        "messageExpressionMaxCost": rule.message_expression_cost,
        "usesOldSelf": rule.uses_old_self,
    })
}

/// Names a rule of a definition.
fn rule_place(rule: &Value) -> String {
    let text = |key: &str| rule[key].as_str().unwrap_or_default();
    format!("{} {} [{}]", text("version"), text("schemaPath"), rule["index"]).trim_start().to_owned()
}

/// Errors as the records write them, in their order.
fn errors_json(errors: &[FieldError]) -> Value {
    let mut sorted: Vec<(&str, &str, String)> = errors
        .iter()
        .map(|error| (error.field.as_str(), error.error_type.cause_name(), in_neutral_names(&error.detail)))
        .collect();
    sorted.sort();
    sorted
        .into_iter()
        .map(|(field, cause, detail)| json!({ "type": cause, "field": field, "detail": detail }))
        .collect()
}

/// The records write `selfType<N>` for every name of that form, also where a rule itself has one.
pub(super) fn in_neutral_names(text: &str) -> String {
    let mut parts = text.split("selfType");
    let mut neutral = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
        neutral.push_str(if after.len() < part.len() { "selfType<N>" } else { "selfType" });
        neutral.push_str(after);
    }
    neutral
}

fn list_items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
