//! Fields and functions of a definition that only newer servers have.

use std::collections::BTreeMap;

use kvrules_apiserver::definition::{IgnoredField, ignored_fields};
use kvrules_cel::check::Requirement;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::Diagnostic;
use serde_json::Value;

use super::reviews::{VersionDetails, VersionReviews};
use super::subject::VersionedDefinition;
use crate::lints;

/// The findings about what an expression needs that versions do not have, and the versions whose error they explain.
pub(super) fn requirement_findings(
    definition: &VersionedDefinition<'_>,
    reviews: &VersionReviews,
    field: &str,
    details: &VersionDetails,
) -> (Vec<Diagnostic>, Vec<KubernetesVersion>) {
    let Some(rule) = reviews.rule_at(field) else { return (Vec::new(), Vec::new()) };
    let is_message = field.ends_with(".messageExpression");
    let requirements = if is_message { &rule.message_requirements } else { &rule.requirements };
    let mut explained = Vec::new();
    let mut needed: BTreeMap<Option<KubernetesVersion>, Vec<&Requirement>> = BTreeMap::new();
    for requirement in requirements {
        let since = first_version(definition, requirement, details);
        let lacking = details.keys().copied().filter(|version| since.is_none_or(|it| *version < it));
        let before = explained.len();
        explained.extend(lacking);
        if explained.len() > before {
            needed.entry(since).or_default().push(requirement);
        }
    }
    let findings =
        needed.into_iter().filter_map(|(since, of)| requirement_finding(definition, field, since, &of));
    (findings.collect(), explained)
}

/// One finding about all constructs of an expression that came with the same version.
fn requirement_finding(
    definition: &VersionedDefinition<'_>,
    field: &str,
    since: Option<KubernetesVersion>,
    requirements: &[&Requirement],
) -> Option<Diagnostic> {
    let first = requirements.first()?;
    let names: Vec<String> = requirements.iter().map(|it| format!("`{}`", it.name)).collect();
    let names = names.join(", ");
    let message = match since {
        Some(since) => format!("needs Kubernetes {since} or newer: {names}"),
        None => format!("no Kubernetes up to {} takes {names}", KubernetesVersion::NEWEST),
    };
    let span = definition.expression_span(field, first.offset, first.name.len());
    let help = "rewrite the expression with what older servers have, or leave them out of `--kubernetes`";
    Some(lints::KUBERNETES_VERSION.diagnostic_at(span, message).with_help(help).with_field(field))
}

/// The first version that takes a construct here. A stored expression gets what its server has, and a new one a minor less.
fn first_version(
    definition: &VersionedDefinition<'_>,
    requirement: &Requirement,
    details: &VersionDetails,
) -> Option<KubernetesVersion> {
    // A version that rejects the stored text although it could take it is one that keeps no such texts.
    let rejects = |since: KubernetesVersion| details.keys().any(|version| *version >= since);
    let stored = requirement.stored_from.filter(|since| definition.old.is_some() && !rejects(*since));
    stored.or(requirement.new_from)
}

/// The findings about fields that versions drop.
pub(super) fn ignored_field_findings(
    definition: &VersionedDefinition<'_>,
    versions: &KubernetesVersions,
    document: &Value,
) -> Vec<Diagnostic> {
    let mut by_name: BTreeMap<&str, Vec<IgnoredField>> = BTreeMap::new();
    for field in ignored_fields(document) {
        if versions.iter().any(|version| version < field.used_from) {
            by_name.entry(field.name).or_default().push(field);
        }
    }
    let finding = |(name, fields): (&str, Vec<IgnoredField>)| {
        let first = fields.first()?;
        let times = match fields.len() {
            1 => String::new(),
            number => format!(", {number} times here"),
        };
        let message = format!("`{name}` is ignored before Kubernetes {}{times}", first.used_from);
        let span = definition.find_span(&first.path);
        Some(lints::IGNORED_FIELD.diagnostic_at(span, message).with_field(&first.path))
    };
    by_name.into_iter().filter_map(finding).collect()
}
