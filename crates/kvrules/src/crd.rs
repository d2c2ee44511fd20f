//! CustomResourceDefinitions and admission policies: what `kvrules-crd` finds in them as diagnostics, and what their
//! rules cost.
//!
//! ```
//! use kvrules::{FileId, SourceFile};
//!
//! let text = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n";
//! let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "crd.yaml", text));
//! assert_eq!(reading.diagnostics[0].code, "KC101");
//! assert_eq!(reading.kubernetes.definitions, 1);
//! ```

use kvrules_crd::{Cause, UndecidedPart};
use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_lint::lints::TEMPLATED_TEXT;
use kvrules_syntax::Document;

pub use kvrules_crd::{
    DefinitionCost, EXPRESSION_LIMIT, ExpressionField, Headroom, ProposedBound, RuleCost, SCHEMA_LIMIT,
    VersionCost, format_thousands,
};

use crate::input::Input;

/// Numbers of objects in a file that are for a Kubernetes API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KubernetesCounts {
    /// Number of CustomResourceDefinitions.
    pub definitions: usize,
    /// Number of admission policies and bindings.
    pub policies: usize,
    /// Number of rules in the definitions.
    pub rules: usize,
}

/// Returns the cost of the rules of every definition in a file, and the bounds that bring them under their budgets with
/// this much to spare.
pub fn estimate_costs(source: &SourceFile, headroom: Headroom) -> Vec<DefinitionCost> {
    let input = Input::parse(source);
    let streams = input.streams(source.id());
    let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
    kvrules_crd::costs_with(source, &documents, headroom)
}

/// The number of definitions in a file whose cost depends on parameters of OpenShift templates; they are not priced.
pub fn undecided_costs(source: &SourceFile) -> usize {
    if !source.text().contains("${") {
        return 0;
    }
    let input = Input::parse(source);
    let streams = input.streams(source.id());
    let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
    kvrules_crd::undecided_costs(&documents)
}

/// Stored definitions, policies and bindings, which those of other files take the place of.
#[derive(Clone, Debug, Default)]
pub struct StoredResources(kvrules_crd::StoredResources);

impl StoredResources {
    /// Adds the resources in a file; returns how many there are.
    pub fn add_file(&mut self, source: &SourceFile) -> usize {
        let input = Input::parse(source);
        let streams = input.streams(source.id());
        let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
        self.0.add_documents(&documents)
    }

    /// The number of resources in a file that take the place of stored ones.
    pub fn count_replaced(&self, source: &SourceFile) -> usize {
        let input = Input::parse(source);
        let streams = input.streams(source.id());
        let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
        self.0.count_replaced(&documents)
    }
}

/// Checks the definitions and policies in a file as updates of stored ones, in place of what was found in them as new ones.
pub fn check_update(source: &SourceFile, old: &StoredResources, found: &mut Vec<Diagnostic>) {
    let input = Input::parse(source);
    let streams = input.streams(source.id());
    let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
    found.retain(|diagnostic| !is_of_kubernetes(diagnostic));
    found.extend(kvrules_crd::check_update(source, &documents, &old.0).findings);
    found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
}

/// True for the findings of `kvrules-crd`.
fn is_of_kubernetes(found: &Diagnostic) -> bool {
    kvrules_crd::lints::LINTS.iter().any(|lint| found.is_of(lint))
}

/// True if a file refers to definitions or policies and cannot be read to its end.
pub fn is_broken(source: &SourceFile) -> bool {
    let input = Input::parse(source);
    let is_about = source.text().contains("CustomResourceDefinition");
    is_about
        && input
            .streams(source.id())
            .iter()
            .flat_map(|stream| &stream.documents)
            .any(|it| !kvrules_crd::is_sound(it))
}

/// Writes the bounds that bring rules under their budgets into the text of a file; none if nothing is to be written.
pub fn with_bounds(source: &SourceFile, costs: &[DefinitionCost]) -> Option<String> {
    let versions = costs.iter().flat_map(|definition| &definition.versions);
    let mut edits: Vec<_> = versions.flat_map(|version| version.edits.iter().cloned()).collect();
    edits.sort();
    edits.dedup();
    if edits.is_empty() { None } else { kvrules_syntax::edit::apply_edits(source.text(), &edits) }
}

/// Checks the definitions and policies in documents.
pub(crate) fn check_documents(
    source: &SourceFile,
    documents: &[&Document<'_>],
    found: &mut Vec<Diagnostic>,
) -> KubernetesCounts {
    let checked = kvrules_crd::check_documents(source, documents);
    let is_told = found.iter().any(|known| known.is_of(&TEMPLATED_TEXT));
    found.extend(templated_diagnostic(&checked.undecided, Cause::Tag).filter(|_| !is_told));
    found.extend(templated_diagnostic(&checked.undecided, Cause::Parameter));
    found.extend(checked.findings);
    KubernetesCounts { definitions: checked.definitions, policies: checked.policies, rules: checked.rules }
}

/// Maximum number of fields named that depend on a template.
const NAMED: usize = 4;

/// Returns the finding that parts of a definition or a policy depend on template tags or parameters.
fn templated_diagnostic(undecided: &[UndecidedPart], cause: Cause) -> Option<Diagnostic> {
    let parts = || undecided.iter().filter(|part| part.cause == cause);
    let first = parts().next()?;
    let (what, help) = match cause {
        Cause::Tag => ("template tags", "render the template and check the result"),
        Cause::Parameter => ("template parameters", "process the template and check the result"),
    };
    let mut fields: Vec<_> = parts().map(|part| format!("`{}`", part.field)).collect();
    fields.dedup();
    let more = fields.len().saturating_sub(NAMED);
    fields.truncate(NAMED);
    let listed = fields.join(", ");
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!("{what} affect {listed}{rest}, which cannot be checked");
    Some(TEMPLATED_TEXT.diagnostic_at(first.span, message).with_help(help))
}
