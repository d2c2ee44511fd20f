//! The sense of rules: what they accept, reject, and cannot evaluate, as far as that is certain.

mod examination;
mod failure_finding;
mod guarded_rule;
mod places;
mod witness;

use std::rc::Rc;

use kvrules_apiserver::cost::ReviewMemo;
use kvrules_diagnostics::{Diagnostic, Level, Proof, SourceFile, Span, quote_names, suggest_nearest};
use kvrules_lift::explain_claim;
use serde_json::Value;

use super::keyword_rule;
use crate::lints;
use crate::message_mismatch::mismatch_finding;
use crate::schema_location::SchemaLocation;
use crate::schema_review::{ReviewedSchema, SchemaVersion};
use examination::{RuleProblem, SchemaSense, SensedRule};
use failure_finding::failing_rule;
use places::KnownPlaces;

/// Problems of the rules of the schemas of one definition. Versions with equal schemas share them.
#[derive(Default)]
pub(super) struct RuleSenses<'v> {
    schemas: Vec<(&'v ReviewedSchema<'v>, Rc<SchemaSense<'v>>)>,
    places: KnownPlaces<'v>,
}

impl<'v> RuleSenses<'v> {
    /// Reports the problems of the rules of a version that the server accepts, or would accept if they cost less.
    pub(super) fn check_rules(
        &mut self,
        source: &SourceFile,
        version: &SchemaVersion<'_>,
        reviewed: &'v ReviewedSchema<'v>,
        explains_proofs: bool,
        findings: &mut Vec<Diagnostic>,
    ) {
        let rules = &reviewed.report.rules;
        let errors = rules.iter().flat_map(|rule| &rule.errors);
        let is_refused = reviewed
            .errors
            .iter()
            .chain(&reviewed.report.errors)
            .chain(errors)
            .any(|error| error.cost_excess.is_none());
        if is_refused || rules.is_empty() {
            return;
        }
        let root = SchemaLocation::root(version.node, Some(version.key));
        let sense = self.examine_schema(reviewed, explains_proofs);
        findings.extend(sense.rules.iter().filter_map(|rule| to_finding(source, &root, rule)));
    }

    fn examine_schema(
        &mut self,
        reviewed: &'v ReviewedSchema<'v>,
        explains_proofs: bool,
    ) -> Rc<SchemaSense<'v>> {
        if let Some((_, sense)) = self.schemas.iter().find(|(known, _)| std::ptr::eq(*known, reviewed)) {
            return Rc::clone(sense);
        }
        let sense = Rc::new(SchemaSense::of_schema(
            &reviewed.schema,
            &reviewed.memo,
            &mut self.places,
            explains_proofs,
        ));
        self.schemas.push((reviewed, Rc::clone(&sense)));
        sense
    }
}

/// Returns the number of problems that the lints of sense find in the rules of the schemas of a definition, which the server accepts. Equal
/// schemas are examined once.
///
/// ```
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self > 3"}, {"rule": "self > 2"}]);
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rules}}});
/// // Both say what a keyword says, and the first implies the second, which is reported instead.
/// assert_eq!(kvrules_crd::count_rule_problems(&[&schema, &schema.clone()]), 2);
/// ```
pub fn count_rule_problems(schemas: &[&Value]) -> usize {
    let (mut places, mut count) = (KnownPlaces::default(), 0);
    let memo = ReviewMemo::default();
    for (at, schema) in schemas.iter().enumerate() {
        if !schemas.iter().take(at).any(|known| known == schema) {
            count += SchemaSense::of_schema(schema, &memo, &mut places, false).rules.len();
        }
    }
    count
}

/// The finding about a rule, at the place where a version has it.
fn to_finding(source: &SourceFile, root: &SchemaLocation<'_>, it: &SensedRule<'_>) -> Option<Diagnostic> {
    let follow = |field: &str| {
        root.clone().follow_field(&format!("{}.x-kubernetes-validations[{}].{field}", it.path, it.index))
    };
    let span = crate::schema_location::node_head_span(follow("rule").inner?.value);
    let constant = |message| lints::CONSTANT_RULE.diagnostic_at(span, message);
    let finding = match &it.problem {
        RuleProblem::Message(contradiction) => {
            mismatch_finding(contradiction, follow("message").inner?.value.span())
        }
        RuleProblem::UnknownValue(path, value) => enum_finding(&it.schema, path, value, span),
        RuleProblem::AlwaysTrue => constant("the rule is true for every object that the schema accepts")
            .with_help("remove it, or correct it: the server evaluates it at every write"),
        RuleProblem::NeverTrue => {
            constant("no object passes the rule: the server rejects every value at this place")
        }
        RuleProblem::Implied(other) => repeated_rule(other, span),
        RuleProblem::TooManyRules => too_many_rules(span),
        RuleProblem::TooLargePlace => too_large_place(span),
        RuleProblem::Failing(failure, guarded) => {
            let fix = guarded.as_ref().and_then(|guarded| guarded.to_fix(follow("rule").inner?.value));
            failing_rule(failure, guarded.as_ref(), &it.schema, span).fix_if(fix)
        }
        RuleProblem::Contradicting(others) => contradictory_rules(others, span),
        RuleProblem::Keyword(keyword) => {
            let place = root.clone().follow_field(&format!("{}.x-kubernetes-validations", it.path));
            keyword_rule::keyword_finding(source, &place, span, it.index, keyword)
        }
    };
    Some(Diagnostic { proof: it.proof.clone().or(finding.proof), ..finding })
}

/// Says of a claim that was proved without a certificate that it has none.
pub(crate) fn note_missing_proof(finding: &mut Diagnostic) {
    let claims =
        [&lints::CONSTANT_RULE, &lints::REPEATED_RULE, &lints::KEYWORD_RULE, &lints::CONTRADICTORY_RULES];
    if finding.proof.is_none()
        && finding.level != Level::Info
        && claims.iter().any(|lint| finding.is_of(lint))
    {
        let (lines, value) = explain_claim(&[None], &Value::Null);
        finding.proof = Some(Proof { lines, value });
    }
}

fn repeated_rule(other: &str, span: Span) -> Diagnostic {
    let message = format!("another rule of the same place implies the rule: `{}`", short(other));
    lints::REPEATED_RULE.diagnostic_at(span, message).with_help("remove it, or correct one of the two")
}

fn too_many_rules(span: Span) -> Diagnostic {
    let message =
        "too many rules to decide whether another rule implies this one, or one of those that follow";
    let mut finding = lints::REPEATED_RULE.diagnostic_at(span, message);
    finding.level = Level::Info;
    finding
}

fn too_large_place(span: Span) -> Diagnostic {
    let message = "rules are too many or too large to decide whether any value passes this one and the others of its place";
    let mut finding = lints::CONTRADICTORY_RULES.diagnostic_at(span, message);
    finding.level = Level::Info;
    finding
}

fn contradictory_rules(others: &[String], span: Span) -> Diagnostic {
    let others: Vec<String> = others.iter().map(|other| format!("`{}`", short(other))).collect();
    let message = match others.as_slice() {
        [before @ .., last] if !before.is_empty() => {
            format!("no value passes the rule, {} and {last} together", before.join(", "))
        }
        _ => format!("no value passes both the rule and {}", others.join(" and ")),
    };
    let help = "correct one of them: the server rejects every value at this place";
    lints::CONTRADICTORY_RULES.diagnostic_at(span, message).with_help(help)
}

/// The finding that a field is compared with a text that its enum does not have; `path` starts at `self`.
pub(crate) fn enum_finding(schema: &Value, path: &str, value: &str, span: Span) -> Diagnostic {
    let known = enum_of(schema, path);
    // Parts of a request are names of their own in policies.
    let shown = ["self.object", "self.oldObject", "self.params"].iter().find(|root| path.starts_with(**root));
    let shown = shown.and_then(|_| path.strip_prefix("self.")).unwrap_or(path);
    let message = format!("`{shown}` is never `{value}`: its `enum` does not have it");
    let help = suggest_nearest(value, known.iter().map(String::as_str))
        .unwrap_or_else(|| format!("it has {}", quote_names(&known, known.len())));
    lints::UNKNOWN_ENUM_VALUE.diagnostic_at(span, message).with_help(help)
}

/// The texts that a field may be; `path` starts at `self`, and `[]` in it is an item.
fn enum_of(schema: &Value, path: &str) -> Vec<String> {
    let node = path.split('.').enumerate().try_fold(schema, |node, (index, name)| {
        let field = name.trim_end_matches("[]");
        let items = (name.len() - field.len()) / "[]".len();
        let node = if index == 0 { node } else { node.get("properties")?.get(field)? };
        (0..items).try_fold(node, |node, _| node.get("items").or_else(|| node.get("additionalProperties")))
    });
    let values = node.and_then(|node| node.get("enum")).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A text in one line, shortened.
fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
