//! The reviews of one definition by the servers of several versions, which share what they compile.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_apiserver::cost::{ReviewMemo, RuleReport};
use kvrules_apiserver::definition::{DefinitionReview, review_definition_on};
use kvrules_apiserver::field_error::{CostExcess, FieldError};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};
use serde_json::Value;

use crate::stored_resources::as_stored;

/// Reviews of a definition.
pub(super) struct VersionReviews {
    pub(super) newest: DefinitionReview,
    pub(super) by_version: BTreeMap<KubernetesVersion, DefinitionReview>,
    /// Fields whose errors depend on what a template is rendered to.
    undecided: BTreeSet<String>,
}

/// Kind of a rejection, which distinguishes errors at one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProblemKind {
    /// An expression does not compile.
    Compile,
    /// An expression, or all together, exceed a budget.
    Cost,
    /// Anything else.
    Other,
}

/// A field with an error of a kind.
pub(super) type ProblemPlace = (String, ProblemKind);

/// The errors at a place, by version.
pub(super) type VersionDetails = BTreeMap<KubernetesVersion, String>;

/// The errors of the newest server and of the selected ones, by their places.
pub(super) struct VersionProblems {
    pub(super) newest: BTreeMap<ProblemPlace, VersionDetails>,
    pub(super) selected: BTreeMap<ProblemPlace, VersionDetails>,
}

impl VersionReviews {
    /// Reviews a definition that is created, or that replaces an old one.
    pub(super) fn of_definition(
        document: &Value,
        old: Option<&Value>,
        versions: impl Iterator<Item = KubernetesVersion>,
    ) -> Self {
        let memo = ReviewMemo::default();
        let old = old.map(|old| as_stored(old, document));
        let review = |version: KubernetesVersion| {
            review_definition_on(ServerFeatures::of_version(version), document, old.as_ref(), &memo)
        };
        let newest = review(KubernetesVersion::NEWEST);
        let older = versions.filter(|version| *version != KubernetesVersion::NEWEST);
        let mut by_version: BTreeMap<_, _> = older.map(|version| (version, review(version))).collect();
        by_version.insert(KubernetesVersion::NEWEST, newest.clone());
        Self { newest, by_version, undecided: BTreeSet::new() }
    }

    /// Leaves out the errors at fields that a template decides; returns true if there are any.
    pub(super) fn leave_out(&mut self, is_undecided: impl Fn(&FieldError) -> bool) -> bool {
        let errors = self.by_version.values().flat_map(DefinitionReview::all_errors);
        self.undecided = errors.filter(is_undecided).map(|error| error.field).collect();
        !self.undecided.is_empty()
    }

    /// The errors of a version that do not only repeat others.
    fn own_errors(&self, version: KubernetesVersion) -> impl Iterator<Item = FieldError> {
        let errors = self.by_version.get(&version).map(DefinitionReview::all_errors).unwrap_or_default();
        errors.into_iter().filter(|error| is_own_error(error) && !self.undecided.contains(&error.field))
    }

    /// The report on the rule that an error is about, by the newest server.
    pub(super) fn rule_at(&self, field: &str) -> Option<&RuleReport> {
        find_rule(&self.newest, field)
    }

    /// The errors of some versions, by their places.
    pub(super) fn problems(
        &self,
        versions: impl Iterator<Item = KubernetesVersion>,
    ) -> BTreeMap<ProblemPlace, VersionDetails> {
        let mut problems: BTreeMap<ProblemPlace, VersionDetails> = BTreeMap::new();
        for version in versions {
            for error in self.own_errors(version) {
                let kind = problem_kind(&error);
                problems.entry((error.field, kind)).or_default().insert(version, error.detail);
            }
        }
        problems
    }

    /// The errors of the newest version and of some others.
    pub(super) fn all_problems(&self, versions: KubernetesVersions) -> VersionProblems {
        VersionProblems {
            newest: self.problems(std::iter::once(KubernetesVersion::NEWEST)),
            selected: self.problems(versions.iter()),
        }
    }

    /// True if a version rejects the definition.
    pub(super) fn is_rejected_by(&self, version: KubernetesVersion) -> bool {
        self.own_errors(version).next().is_some()
    }
}

/// The report on the rule that an error is about.
pub(super) fn find_rule<'r>(review: &'r DefinitionReview, field: &str) -> Option<&'r RuleReport> {
    let (place, _) = field.rsplit_once('.')?;
    review.schemas.iter().find_map(|schema| {
        let path = place.strip_prefix(&schema.prefix)?.strip_prefix('.')?;
        let is_it =
            |rule: &&RuleReport| path == format!("{}.x-kubernetes-validations[{}]", rule.path, rule.index);
        schema.report.rules.iter().find(is_it)
    })
}

/// True for errors that do not only repeat another: rules that contribute to a sum, and the generation, which the server sets.
fn is_own_error(error: &FieldError) -> bool {
    error.cost_excess != Some(CostExcess::Contribution) && error.field != "metadata.generation"
}

fn problem_kind(error: &FieldError) -> ProblemKind {
    if error.cost_excess.is_some() {
        ProblemKind::Cost
    } else if is_compile_error(&error.detail) {
        ProblemKind::Compile
    } else {
        ProblemKind::Other
    }
}

/// True for texts about expressions that do not compile.
pub(super) fn is_compile_error(detail: &str) -> bool {
    detail.contains("compilation failed: ") || detail.contains("instantiation failed: ")
}
