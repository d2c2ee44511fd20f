//! Findings about a definition on the servers of some versions, made from those about the newest.

use std::collections::BTreeMap;

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, SCHEMA_LIMIT};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::{Diagnostic, Level, Span};

use super::constructs::{ExpressionSite, HELP_FOR_RULES, ignored_field_findings};
use super::reviews::{ProblemKind, ProblemPlace, VersionDetails, VersionProblems, VersionReviews, find_rule};
use super::subject::VersionedDefinition;
use super::words::{list_versions, shares_text};
use crate::lints;
use crate::text::{server_words, to_one_line};

/// Makes findings about the newest server findings about the servers of some versions: adds what those reject, and takes back
/// what none of them does.
pub(crate) fn check_versions(
    definition: &VersionedDefinition<'_>,
    versions: KubernetesVersions,
    findings: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let reviews = VersionReviews::of_definition(definition.document, definition.old, versions.iter());
    let problems = reviews.all_problems(versions);
    let mut kept = problems.keep_rejections(versions, findings);
    kept.extend(definition.new_findings(&reviews, versions));
    kept.extend(ignored_field_findings(definition, versions, definition.document));
    kept
}

impl VersionProblems {
    /// True if the newest server has an error at a field.
    pub(super) fn is_known(&self, field: &str) -> bool {
        self.newest.keys().any(|(known, _)| known == field)
    }

    /// The findings that are about a server of one of the versions, with those versions if they are not all.
    pub(super) fn keep_rejections(
        &self,
        versions: KubernetesVersions,
        findings: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let mut kept = Vec::new();
        for finding in findings {
            let field = finding.field.as_deref();
            let Some(field) = field.filter(|field| finding.level == Level::Error && self.is_known(field))
            else {
                kept.push(finding);
                continue;
            };
            let at = |version: &KubernetesVersion| {
                self.selected
                    .iter()
                    .any(|((known, _), details)| known == field && details.contains_key(version))
            };
            let rejecting: Vec<_> = versions.iter().filter(at).collect();
            if rejecting.len() == versions.iter().count() {
                kept.push(finding);
            } else if !rejecting.is_empty() {
                let message = format!("{} (on Kubernetes {})", finding.message, list_versions(&rejecting));
                kept.push(Diagnostic { message, ..finding });
            }
        }
        kept
    }
}

impl VersionedDefinition<'_> {
    /// The findings about what the newest server accepts and others do not.
    pub(super) fn new_findings(
        &self,
        reviews: &VersionReviews,
        versions: KubernetesVersions,
    ) -> Vec<Diagnostic> {
        let problems = reviews.all_problems(versions);
        let mut findings = Vec::new();
        for ((field, kind), mut details) in problems.selected.clone() {
            if problems.is_known(&field) {
                continue;
            }
            if kind == ProblemKind::Compile {
                let (found, explained) = self.requirement_findings(reviews, &field, &details);
                findings.extend(found);
                details.retain(|version, _| !explained.contains(version));
            }
            if kind == ProblemKind::Cost && field.ends_with(".openAPIV3Schema") {
                // If single rules exceed their budgets, the findings about them suffice.
                details.retain(|version, _| !has_expensive_rule(&problems.selected, &field, *version));
            }
            if details.is_empty() {
                continue;
            }
            if kind == ProblemKind::Cost {
                findings.push(self.cost_finding(reviews, &field, &details));
            } else if let Some(detail) = details.values().next() {
                findings.push(rejection_finding(self.find_span(&field), &field, detail, &details));
            }
        }
        findings
    }

    /// The findings about what an expression needs that versions do not have, and the versions whose error they explain.
    fn requirement_findings(
        &self,
        reviews: &VersionReviews,
        field: &str,
        details: &VersionDetails,
    ) -> (Vec<Diagnostic>, Vec<KubernetesVersion>) {
        let Some(rule) = reviews.rule_at(field) else { return (Vec::new(), Vec::new()) };
        let is_message = field.ends_with(".messageExpression");
        let requirements = if is_message { &rule.message_requirements } else { &rule.requirements };
        let part_span = |offset, length| self.expression_span(field, offset, length);
        let is_update = self.old.is_some();
        let site =
            ExpressionSite { field, requirements, is_update, part_span: &part_span, help: HELP_FOR_RULES };
        site.requirement_findings(details)
    }

    fn cost_finding(&self, reviews: &VersionReviews, field: &str, details: &VersionDetails) -> Diagnostic {
        let versions: Vec<_> = details.keys().copied().collect();
        let is_total = field.ends_with(".openAPIV3Schema");
        let limit = if is_total { SCHEMA_LIMIT } else { EXPRESSION_LIMIT };
        let costs = versions.iter().filter_map(|version| Self::cost_at(reviews, *version, field));
        let what = match (is_total, field.ends_with(".messageExpression")) {
            (true, _) => "estimated total rule cost",
            (false, true) => "estimated cost of the message",
            (false, false) => "estimated rule cost",
        };
        let fits = match next_version(versions.last().copied()) {
            Some(next) => format!(", fits from {next}"),
            None => String::new(),
        };
        let shares = shares_text(costs, limit);
        let message = format!("{what} exceeds the budget on {} ({shares}){fits}", list_versions(&versions));
        let help =
            "add bounds, or rewrite the rule; `kvrules cost --matrix` shows the shares of every version";
        let finding = lints::KUBERNETES_VERSION.diagnostic_at(self.find_span(field), message);
        finding.with_help(help).with_field(field)
    }

    fn cost_at(reviews: &VersionReviews, version: KubernetesVersion, field: &str) -> Option<u64> {
        let review = reviews.by_version.get(&version)?;
        if let Some(rule) = find_rule(review, field) {
            let is_message = field.ends_with(".messageExpression");
            return if is_message { rule.message_expression_cost } else { rule.estimated_cost };
        }
        let prefix = field.strip_suffix(".openAPIV3Schema")?;
        review.schemas.iter().find(|schema| schema.prefix == prefix).map(|schema| schema.report.total_cost)
    }
}

/// The finding that versions reject something for a reason of their own, in the words of the oldest.
pub(super) fn rejection_finding(
    span: Span,
    field: &str,
    detail: &str,
    details: &VersionDetails,
) -> Diagnostic {
    let versions: Vec<_> = details.keys().copied().collect();
    let words = to_one_line(detail);
    let why = words.split(" ERROR: <input>").next().unwrap_or(&words).trim_end_matches(':').to_owned();
    let message = format!("rejected by Kubernetes {}", list_versions(&versions));
    let words = if why.is_empty() { "Required value".to_owned() } else { words };
    lints::KUBERNETES_VERSION.diagnostic_at(span, message).with_label(server_words(&words)).with_field(field)
}

/// True if a single rule of a schema exceeds its budget on a version.
fn has_expensive_rule(
    problems: &BTreeMap<ProblemPlace, VersionDetails>,
    schema: &str,
    version: KubernetesVersion,
) -> bool {
    problems.iter().any(|((field, kind), details)| {
        *kind == ProblemKind::Cost
            && field != schema
            && field.starts_with(schema)
            && details.contains_key(&version)
    })
}

fn next_version(version: Option<KubernetesVersion>) -> Option<KubernetesVersion> {
    KubernetesVersion::all_known().find(|known| Some(*known) > version)
}
