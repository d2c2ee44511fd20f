//! Fields and functions of a definition that only newer servers have.

use std::collections::BTreeMap;

use kvrules_apiserver::definition::{IgnoredField, ignored_fields};
use kvrules_cel::check::Requirement;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use kvrules_diagnostics::{Diagnostic, Span};
use serde_json::Value;

use super::reviews::VersionDetails;
use super::subject::VersionedDefinition;
use crate::lints;

/// An expression in a file, with what it needs.
pub(super) struct ExpressionSite<'a> {
    /// The path of the expression in the document.
    pub(super) field: &'a str,
    pub(super) requirements: &'a [Requirement],
    /// True if the document replaces an old one.
    pub(super) is_update: bool,
    /// Location of a part of the expression, by its offset and length.
    pub(super) part_span: &'a dyn Fn(usize, usize) -> Span,
    pub(super) help: &'static str,
}

/// Advice about rules of definitions.
pub(super) const HELP_FOR_RULES: &str = "rewrite the expression with what older servers have, or leave them out of \
                                         `--kubernetes`; `kvrules cost --rewrite` looks for an equal expression";

/// Advice about expressions of policies.
pub(super) const HELP_FOR_POLICIES: &str =
    "rewrite the expression with what older servers have, or leave them out of `--kubernetes`";

impl ExpressionSite<'_> {
    /// The findings about what the expression needs that versions do not have, and the versions whose error they explain.
    pub(super) fn requirement_findings(
        &self,
        details: &VersionDetails,
    ) -> (Vec<Diagnostic>, Vec<KubernetesVersion>) {
        let mut explained = Vec::new();
        let mut needed: BTreeMap<Option<KubernetesVersion>, Vec<&Requirement>> = BTreeMap::new();
        for requirement in self.requirements {
            let since = self.first_version(requirement, details);
            let lacking = details.keys().copied().filter(|version| since.is_none_or(|it| *version < it));
            let before = explained.len();
            explained.extend(lacking);
            if explained.len() > before {
                needed.entry(since).or_default().push(requirement);
            }
        }
        let findings = needed.into_iter().filter_map(|(since, of)| self.requirement_finding(since, &of));
        (findings.collect(), explained)
    }

    /// One finding about all constructs of the expression that came with the same version.
    fn requirement_finding(
        &self,
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
        let span = (self.part_span)(first.offset, first.length);
        let finding = lints::KUBERNETES_VERSION.diagnostic_at(span, message);
        Some(finding.with_help(self.help).with_field(self.field))
    }

    /// The first version that takes a construct here. A stored expression gets what its server has, and a new one a minor less.
    fn first_version(
        &self,
        requirement: &Requirement,
        details: &VersionDetails,
    ) -> Option<KubernetesVersion> {
        // A version that rejects the stored text although it could take it is one that keeps no such texts.
        let rejects = |since: KubernetesVersion| details.keys().any(|version| *version >= since);
        let stored = requirement.stored_from.filter(|since| self.is_update && !rejects(*since));
        stored.or(requirement.new_from)
    }
}

/// The findings about fields that versions drop.
pub(super) fn ignored_field_findings(
    definition: &VersionedDefinition<'_>,
    versions: KubernetesVersions,
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
