//! CustomResourceDefinitions and admission policies as people write them: what a Kubernetes API server would say, offline
//! and at the right place of the file.
//!
//! [`kvrules_cel`] decides what the server accepts. Here its answers are put into words for the author and found again in
//! the text, an expression's errors inside of the expression. Unlike the server, which stops at the first kind of error,
//! [`check_documents`] reports all at once, and in addition what the server accepts although it cannot be intended.
//! [`estimate_costs`] reports what rules cost, and which bounds make them affordable.
//!
//! ```
//! use kvrules_diagnostics::{FileId, SourceFile};
//!
//! let text = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n";
//! let source = SourceFile::new(FileId(0), "crd.yaml", text);
//! let stream = kvrules_syntax::parse_stream(source.id(), source.text());
//! let documents: Vec<_> = stream.documents.iter().collect();
//! let checked = kvrules_crd::check_documents(&source, &documents);
//! assert_eq!(checked.findings[0].message, "definitions of `apiextensions.k8s.io/v1beta1` are no longer served");
//! ```

mod bindings;
mod cel;
mod cost;
mod cures;
mod definition;
mod expression_at;
mod failure_cause;
mod guards;
pub mod lints;
mod located_rules;
mod message_mismatch;
mod metadata;
pub mod notations;
mod placeholders;
mod policy;
mod rendered_types;
mod resource;
mod resource_text;
mod run_resources;
mod schema_location;
mod schema_review;
mod schema_tree;
mod server_versions;
mod shape;
mod stored_resources;
mod templated;
mod text;
mod tokens;

use kvrules_diagnostics::{Diagnostic, SourceFile, Span};
use kvrules_syntax::kubernetes::plain;
use kvrules_syntax::{Document, Entry, find_parameters};

pub use cost::{
    CostOptions, DefinitionCost, ExpressionField, Headroom, ProposedBound, RuleCost, VersionCost,
    advise_simplification, costs_with, estimate_costs, undecided_costs,
};
pub use definition::count_rule_problems;
pub use expression_at::{
    ExpressionAt, FieldFacts, NameAt, NameFacts, NameOwner, OfferedKind, OfferedName, PolicyVariable,
    VisibleName, expression_at,
};
pub use kvrules_apiserver::cost::{EXPRESSION_LIMIT, SCHEMA_LIMIT};
pub use kvrules_cel::NamedFunction;
pub use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions, VersionError};
pub use kvrules_lift::rewrite::EquivalentRule;
pub use located_rules::{LocatedRule, definition_versions, locate_rules};
pub use placeholders::Cause;
pub use policy::{
    PolicySubject, fill_unset_fields, has_unknown_subjects, is_kubernetes_version, policy_subjects,
    policy_versions,
};
pub use resource::{LocatedResource, ResourceKind, locate_resources, policy_kind};
pub use resource_text::{ResourceText, push_pointer, read_policies};
pub use run_resources::{RunResources, read_definition_values};
pub use server_versions::{
    CostColumn, DefinitionMatrix, OldestVersion, RuleShares, VersionMatrix, cost_matrix, find_oldest_versions,
};
pub use stored_resources::StoredResources;
pub use templated::UndecidedPart;
pub use text::{format_thousands, share_percent};

use placeholders::Placeholders;
use resource::Resource;

/// Result of checking documents.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Findings, in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// Number of rules of each definition.
    pub rules: Vec<usize>,
    /// Parts that template tags and parameters leave undecided.
    pub undecided: Vec<UndecidedPart>,
}

/// Checks every definition, policy and binding in the documents of a file.
pub fn check_documents(source: &SourceFile, documents: &[&Document<'_>]) -> CheckReport {
    check_in_run(source, documents, &StoredResources::default(), &RunResources::default())
}

/// Checks documents as updates of the stored resources of the same kinds and names: unchanged parts need to satisfy
/// less. A resource that is not stored is checked as a new one.
pub fn check_update(source: &SourceFile, documents: &[&Document<'_>], old: &StoredResources) -> CheckReport {
    check_in_run(source, documents, old, &RunResources::default())
}

/// Checks documents, as updates of stored resources, in a file of a run. Policies and bindings may refer to the definitions and
/// policies of the run; without any, to those of the file itself.
pub fn check_in_run(
    source: &SourceFile,
    documents: &[&Document<'_>],
    old: &StoredResources,
    run: &RunResources,
) -> CheckReport {
    let mut checked = CheckReport::default();
    let of_file = resources_of_file(documents, run);
    let run = of_file.as_ref().unwrap_or(run);
    for document in documents {
        let before = checked.findings.len();
        let resources = resource::find_resources(document);
        // Policies that an engine generates have the findings of the policy that they come from.
        for resource in resources.iter().filter(|resource| !notations::is_generated(resource.node)) {
            match resource.kind {
                ResourceKind::Definition => {
                    let found = definition::check_definition(source, resource.node, old, run);
                    checked.rules.push(found.rules);
                    checked.findings.extend(found.findings);
                }
                kind => checked.findings.extend(policy::check_policy(resource.node, kind, old, run)),
            }
        }
        checked.findings.extend(run.policies.find_mismatches(&resources));
        withdraw_namespaces(&resources, &mut checked.findings, before);
        let placeholders = Placeholders::of(document, &resources);
        if !placeholders.is_empty() {
            templated::withdraw_findings(document, &placeholders, &resources, &mut checked.findings, before);
            let undecided =
                resources.iter().flat_map(|resource| templated::undecided_parts(&placeholders, resource));
            checked.undecided.extend(undecided);
        } else if !is_sound(document) {
            drop_uncertain(&mut checked.findings, before);
        }
    }
    if run.explains_proofs {
        checked.findings.iter_mut().for_each(definition::note_missing_proof);
    }
    checked.findings.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
    // The target of an alias is checked once for each use, so findings in it are duplicated.
    checked.findings.dedup_by(|one, other| one.sort_key() == other.sort_key());
    checked
}

/// The definitions and policies of a file, if it has policies or bindings and nothing is known of a run.
fn resources_of_file(documents: &[&Document<'_>], run: &RunResources) -> Option<RunResources> {
    let is_rule = |resource: &Resource<'_>| resource.kind != ResourceKind::Definition;
    let has_rules =
        || documents.iter().any(|document| resource::find_resources(document).iter().any(is_rule));
    (run.is_empty() && has_rules()).then(|| {
        let mut own = RunResources::default().with_versions(run.versions);
        own.is_for_errors = run.is_for_errors;
        own.explains_proofs = run.explains_proofs;
        own.add_documents(documents);
        own
    })
}

/// True if the whole document could be read.
pub fn is_sound(document: &Document<'_>) -> bool {
    document.template_problem().is_none() && !document.has_unread_parts()
}

/// Removes the findings that the unread rest of a document could disprove.
fn drop_uncertain(findings: &mut Vec<Diagnostic>, from: usize) {
    let added = findings.split_off(from.min(findings.len()));
    findings.extend(added.into_iter().filter(templated::depends_on_itself));
    findings.iter_mut().skip(from).for_each(|finding| finding.fix = None);
}

/// Removes findings about the namespace of an object in a template: the engine drops the namespace, unless it has a
/// reference.
// OpenShift templateprocessing/template.go, stripNamespace
fn withdraw_namespaces(resources: &[Resource<'_>], findings: &mut Vec<Diagnostic>, from: usize) {
    let in_templates = resources.iter().filter(|resource| !resource.templates.is_empty());
    let namespaces = in_templates.filter_map(|resource| resource.node.get("metadata")?.entry("namespace"));
    let is_removed = |entry: &Entry<'_>| find_parameters(entry.value.text()).all(|found| found.unquoted);
    let removed: Vec<Span> = namespaces.filter(is_removed).map(|entry| entry.value.span()).collect();
    let is_about = |span: Span| removed.iter().any(|of| of.start <= span.start && span.end <= of.end);
    let added = findings.split_off(from.min(findings.len()));
    findings.extend(added.into_iter().filter(|finding| !is_about(finding.primary.span)));
}
