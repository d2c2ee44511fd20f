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

use kvrules_crd::{Cause, Finding, FindingKind, UndecidedPart};
use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_syntax::Document;

pub use kvrules_crd::{
    DefinitionCost, EXPRESSION_LIMIT, ExpressionField, Headroom, ProposedBound, RuleCost, SCHEMA_LIMIT,
    VersionCost, format_thousands,
};

use crate::input::Input;
use crate::registry::LINTS;

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
    found.retain(|diagnostic| !is_of_kubernetes(diagnostic.code));
    found.extend(
        kvrules_crd::check_update(source, &documents, &old.0).findings.into_iter().map(to_diagnostic),
    );
    found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
}

/// True for the codes that [`finding_code`] gives.
fn is_of_kubernetes(code: &str) -> bool {
    ["KC", "KP"].iter().any(|domain| code.starts_with(domain))
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
    let is_told = found.iter().any(|known| known.code == TEMPLATED);
    found.extend(templated_diagnostic(&checked.undecided, Cause::Tag).filter(|_| !is_told));
    found.extend(templated_diagnostic(&checked.undecided, Cause::Parameter));
    found.extend(checked.findings.into_iter().map(to_diagnostic));
    KubernetesCounts { definitions: checked.definitions, policies: checked.policies, rules: checked.rules }
}

/// The lint that reports what was not read of a template.
const TEMPLATED: &str = "KV017";

/// Maximum number of fields named that depend on a template.
const NAMED: usize = 4;

/// Returns the finding that parts of a definition or a policy depend on template tags or parameters.
fn templated_diagnostic(undecided: &[UndecidedPart], cause: Cause) -> Option<Diagnostic> {
    let parts = || undecided.iter().filter(|part| part.cause == cause);
    let first = parts().next()?;
    let lint = LINTS.iter().find(|lint| lint.code == TEMPLATED)?;
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
    Some(lint.diagnostic_at(first.span, message).with_help(help))
}

fn to_diagnostic(finding: Finding) -> Diagnostic {
    let code = finding_code(finding.kind);
    let lint = LINTS.iter().find(|lint| lint.code == code);
    let (code, name) = lint.map_or(("KC101", "kubernetes_shape"), |lint| (lint.code, lint.name));
    let mut diagnostic = Diagnostic::new(code, name, finding.kind.level(), finding.span, finding.message);
    if let Some(words) = finding.server {
        diagnostic = diagnostic.with_label(format!("the server says `{}`", words.replace('`', "'")));
    }
    for (span, text) in finding.related {
        diagnostic = diagnostic.with_secondary_label(span, text);
    }
    Diagnostic { help: finding.help, fix: finding.fix, field: finding.field, ..diagnostic }
}

/// The code of a kind of finding.
fn finding_code(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Metadata => "KC102",
        FindingKind::Update => "KC103",
        FindingKind::NotStructural => "KC201",
        FindingKind::ForbiddenKeyword => "KC202",
        FindingKind::Dropped => "KC203",
        FindingKind::Pattern => "KC204",
        FindingKind::Default => "KC205",
        FindingKind::ListType => "KC206",
        FindingKind::RuleField => "KC301",
        FindingKind::Syntax => "KC302",
        FindingKind::Type => "KC303",
        FindingKind::Cost => "KC304",
        FindingKind::Idle => "KC207",
        FindingKind::Unsatisfiable => "KC208",
        FindingKind::Policy => "KP101",
        FindingKind::Binding => "KP102",
        FindingKind::RuntimeCost => "KC305",
        FindingKind::LostMessage => "KC306",
        FindingKind::TypeOfEither => "KC209",
        FindingKind::Misread => "KC210",
        FindingKind::OptionalVariable => "KP103",
        _ => "KC101",
    }
}
