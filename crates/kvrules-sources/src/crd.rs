//! CustomResourceDefinitions and admission policies: what `kvrules-crd` finds in them as diagnostics, and what their
//! rules cost.
//!
//! ```
//! use kvrules::{FileId, SourceFile};
//!
//! let text = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n";
//! let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "crd.yaml", text));
//! assert_eq!(reading.diagnostics[0].code, "KC101");
//! assert_eq!(reading.contents.units[0].kind.singular, "definition");
//! ```

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_crd::{Cause, UndecidedPart};
use kvrules_diagnostics::{Diagnostic, SourceFile, quote_names};
use kvrules_lint::lints::TEMPLATED_TEXT;

pub use kvrules_crd::{
    CostColumn, CostOptions, DefinitionCost, DefinitionMatrix, EXPRESSION_LIMIT, EquivalentRule,
    ExpressionAt, ExpressionField, FieldFacts, Headroom, KubernetesVersion, KubernetesVersions, NameAt,
    NameFacts, NameOwner, NamedFunction, OfferedKind, OfferedName, OldestVersion, PolicySubject,
    ProposedBound, ResourceKind, ResourceText, RuleCost, RuleShares, SCHEMA_LIMIT, VersionCost, VersionError,
    VersionMatrix, advise_simplification, format_thousands, share_percent,
};

pub use crate::rule_set_costs::{rule_set_costs, rule_set_matrix};

use crate::input::{ParsedFile, with_documents};

/// Returns the cost of the rules of every CustomResourceDefinition in a file, in the units of the API server, and the bounds
/// that bring them under their budgets with this much headroom, or with these options.
///
/// ```
/// use kvrules::crd::{EXPRESSION_LIMIT, Headroom, estimate_costs};
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {name: ponds.example.com}
/// spec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {fish: {type: array,
///   items: {type: string}, x-kubernetes-validations: [{rule: "self.all(a, self.exists_one(b, a == b))"}]}}}}}]}
/// "#;
/// let costs = estimate_costs(&SourceFile::new(FileId(0), "crd.yaml", text), Headroom::default());
/// let rule = &costs[0].versions[0].rules[0];
/// assert!(rule.is_over() && rule.estimate > Some(EXPRESSION_LIMIT));
/// let bounds: Vec<_> = rule.bounds.iter().map(|bound| (bound.name.as_str(), bound.keyword)).collect();
/// assert_eq!(bounds, [("fish", "maxItems"), ("fish[]", "maxLength")]);
/// ```
pub fn estimate_costs(source: &SourceFile, options: impl Into<CostOptions>) -> Vec<DefinitionCost> {
    let options = options.into();
    with_documents(source, |file| kvrules_crd::costs_with(source, &file.documents, options))
}

/// Returns the costs of the rules of every CustomResourceDefinition in a file on the servers of Kubernetes versions.
///
/// ```
/// use kvrules::crd::{KubernetesVersions, cost_matrix};
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {name: ponds.example.com}
/// spec: {group: example.com, names: {kind: Pond, plural: ponds}, scope: Cluster, versions: [{name: v1, served: true, storage: true,
///   schema: {openAPIV3Schema: {type: object, properties: {depth: {type: integer}},
///     x-kubernetes-validations: [{rule: has(self.depth)}]}}}]}
/// "#;
/// let versions: KubernetesVersions = "1.27,1.28,1.29".parse().unwrap();
/// let matrix = cost_matrix(&SourceFile::new(FileId(0), "crd.yaml", text), versions);
/// let costs: Vec<_> = matrix[0].versions[0].rules[0].estimates.iter().map(|(_, cost)| *cost).collect();
/// assert_eq!(costs, [Some(0), Some(2), Some(1)]);
/// ```
pub fn cost_matrix(source: &SourceFile, versions: KubernetesVersions) -> Vec<DefinitionMatrix> {
    with_documents(source, |file| kvrules_crd::cost_matrix(&file.documents, versions))
}

/// Returns the oldest Kubernetes version whose server takes each CustomResourceDefinition in a file.
pub fn find_oldest_versions(source: &SourceFile) -> Vec<OldestVersion> {
    with_documents(source, |file| kvrules_crd::find_oldest_versions(&file.documents))
}

/// Returns the admission policies and bindings in a file, with the locations of their expressions.
///
/// ```
/// use kvrules::{FileId, SourceFile, crd::read_policies};
///
/// let text = "kind: ConfigMap\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n\
///             spec: {validations: [{expression: object.spec.depth > 1}]}\n";
/// let policies = read_policies(&SourceFile::new(FileId(0), "policies.yaml", text));
/// assert!(policies.len() == 1 && policies[0].find_span("/spec/validations/0").is_some());
/// ```
pub fn read_policies(source: &SourceFile) -> Vec<ResourceText> {
    with_documents(source, |file| kvrules_crd::read_policies(&file.documents))
}

/// Returns the number of definitions in a file whose cost is unknown because it depends on parameters of OpenShift templates.
///
/// ```
/// use kvrules::{FileId, SourceFile, crd::undecided_costs};
///
/// let template = |most: &str| format!(r#"
/// kind: Template
/// apiVersion: template.openshift.io/v1
/// parameters: [{{name: MOST}}, {{name: TEXT}}]
/// objects: [{{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {{name: ponds.example.com}},
///   spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {{type: object, maxProperties: {most}, description: "${{TEXT}}",
///     x-kubernetes-validations: [{{rule: "self == self"}}]}}}}}}]}}}}]
/// "#);
/// let undecided = |most| undecided_costs(&SourceFile::new(FileId(0), "template.yaml", template(most)));
/// assert_eq!((undecided("'${{MOST}}'"), undecided("9")), (1, 0));
/// ```
pub fn undecided_costs(source: &SourceFile) -> usize {
    if !source.mentions_word("${") {
        return 0;
    }
    with_documents(source, |file| kvrules_crd::undecided_costs(&file.documents))
}

/// Stored definitions, policies and bindings, which those of other files take the place of.
#[derive(Clone, Debug, Default)]
pub struct StoredResources(kvrules_crd::StoredResources);

impl StoredResources {
    /// Adds the resources in a file; returns their number. A resource with parameters of an OpenShift template in it is left out.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, crd::StoredResources};
    ///
    /// let text = "kind: ConfigMap\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n\
    ///             metadata: {name: ponds}\nspec: {validations: [{expression: object.spec.depth > 1}]}\n";
    /// let mut stored = StoredResources::default();
    /// assert_eq!(stored.add_file(&SourceFile::new(FileId(0), "stored.yaml", text)), 1);
    /// ```
    pub fn add_file(&mut self, source: &SourceFile) -> usize {
        with_documents(source, |file| self.0.add_documents(&file.documents))
    }

    /// Returns the number of resources in a file that replace stored ones: those of the same kind and name.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, crd::StoredResources};
    ///
    /// let file = |name: &str| {
    ///     let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    ///     SourceFile::new(FileId(0), "crd.yaml", format!("{head}metadata: {{name: {name}}}\n"))
    /// };
    /// let mut stored = StoredResources::default();
    /// stored.add_file(&file("ponds.example.com"));
    /// assert_eq!(stored.count_replaced(&file("ponds.example.com")), 1);
    /// assert_eq!(stored.count_replaced(&file("lakes.example.com")), 0);
    /// ```
    pub fn count_replaced(&self, source: &SourceFile) -> usize {
        with_documents(source, |file| self.0.count_replaced(&file.documents))
    }
}

/// Returns the kinds of objects that a policy matches by their names and whose types are known: built-in kinds, and those of the
/// definitions among resources.
///
/// ```
/// use kvrules::crd::{policy_subjects, read_policies};
/// use kvrules::{FileId, SourceFile};
///
/// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    \
///     resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]\n";
/// let policies = read_policies(&SourceFile::new(FileId(0), "policy.yaml", text));
/// assert_eq!(policy_subjects(&policies[0], &policies)[0].kind, "Deployment");
/// ```
pub fn policy_subjects(policy: &ResourceText, resources: &[ResourceText]) -> Vec<PolicySubject> {
    kvrules_crd::policy_subjects(&policy.value, &kvrules_crd::RunResources::of_resources(resources))
}

/// Returns the policies among resources as rules about the objects that they match: a version for each kind whose types are known.
///
/// ```
/// use kvrules::crd::{RunResources, policy_versions, read_policies};
/// use kvrules::{FileId, SourceFile};
///
/// let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: few}\nspec:\n  matchConstraints:\n    \
///     resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]\n  \
///     validations: [{expression: object.spec.replicas < 5}]\n";
/// let policies = read_policies(&SourceFile::new(FileId(0), "policy.yaml", text));
/// let versions = policy_versions(&policies, &RunResources::default());
/// assert_eq!((versions[0].kind.as_str(), versions[0].file_stem().as_str()), ("Deployment", "few"));
/// ```
pub fn policy_versions(resources: &[ResourceText], run: &RunResources) -> Vec<ResourceVersion> {
    kvrules_crd::policy_versions(resources, &run.0)
}

/// Definitions and policies of the files of a run, which policies and bindings in other files refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResources(pub(crate) kvrules_crd::RunResources);

impl RunResources {
    /// With the Kubernetes versions that definitions are for; else it is the newest.
    #[must_use]
    pub fn with_versions(self, versions: KubernetesVersions) -> Self {
        Self(self.0.with_versions(versions))
    }

    /// For a run that only reports errors: no check of a definition looks for warnings about the sense of its rules, which take longest.
    #[must_use]
    pub fn for_errors(self) -> Self {
        Self(self.0.for_errors())
    }

    /// With the proofs of findings about the sense of rules, which take longer to make.
    #[must_use]
    pub fn with_proofs(self, explains_proofs: bool) -> Self {
        Self(self.0.with_proofs(explains_proofs))
    }

    /// True if proofs are shown.
    pub fn explains_proofs(&self) -> bool {
        self.0.explains_proofs()
    }

    /// Returns the definitions.
    pub fn definitions(&self) -> impl Iterator<Item = &serde_json::Value> {
        self.0.definitions()
    }

    /// Returns them as the crate of definitions and policies has them.
    pub fn resources(&self) -> &kvrules_crd::RunResources {
        &self.0
    }

    /// Returns all kinds of objects that a policy matches; `None` if some of them are unknown.
    pub fn all_subjects(&self, policy: &ResourceText) -> Option<Vec<PolicySubject>> {
        let has_others = kvrules_crd::has_unknown_subjects(&policy.value, &self.0);
        (!has_others).then(|| kvrules_crd::policy_subjects(&policy.value, &self.0))
    }

    /// Collects the definitions and policies of the files of a run, if any of them mentions policies or RuleSets.
    ///
    /// ```
    /// use kvrules::{FileId, ReadContext, SourceFile, crd::RunResources, read_file};
    ///
    /// let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: ponds}\n";
    /// let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n\
    ///                metadata: {name: b}\nspec: {policyName: pond, validationActions: [Deny]}\n";
    /// let files = [policy, binding].map(|text| SourceFile::new(FileId(0), "a.yaml", text));
    /// let run = RunResources::of_files(&files.iter().collect::<Vec<_>>());
    /// let context = ReadContext::new(kvrules::Catalog::kubevirt_vm()).with_resources(&run);
    /// let found = read_file(&files[1], &context).diagnostics;
    /// assert_eq!(found[0].help.as_deref(), Some("did you mean `ponds`?"));
    /// ```
    pub fn of_files(files: &[&SourceFile]) -> Self {
        let mentions = |file: &SourceFile, kind: &str| may_have_kind(file.text(), kind);
        let mut found = Self::default();
        let users = ["ValidatingAdmissionPolicy", "ValidatingPolicy", "ConstraintTemplate", "RuleSet"];
        if !files.iter().any(|file| users.iter().any(|kind| mentions(file, kind))) {
            return found;
        }
        let kinds = [
            "ValidatingAdmissionPolicy",
            "ValidatingPolicy",
            "ConstraintTemplate",
            "CustomResourceDefinition",
        ];
        for file in files.iter().filter(|file| kinds.iter().any(|kind| mentions(file, kind))) {
            with_documents(file, |parsed| found.0.add_documents(&parsed.documents));
        }
        found
    }
}

/// True if a text may have a resource of a kind. Descriptions mention kinds too, and to read a file for nothing takes as long as to
/// check it.
fn may_have_kind(text: &str, kind: &str) -> bool {
    text.match_indices(kind).any(|(at, _)| {
        // The value may begin on the line behind its key.
        let before = text.get(..at).unwrap_or_default().trim_end();
        before.rsplit('\n').next().is_some_and(|line| line.contains("kind")) || before.is_empty()
    })
}

/// Checks the definitions and policies in a file as updates of stored ones. `found` is the findings in the file from
/// [`read_rules`](crate::read_rules); those about definitions and policies are replaced, because unchanged parts need to
/// satisfy less.
///
/// ```
/// use kvrules::{FileId, SourceFile, crd::{RunResources, StoredResources, check_update}};
///
/// let file = |scope: &str| SourceFile::new(FileId(0), "crd.yaml", format!(r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {{name: ponds.example.com}}
/// spec: {{group: example.com, scope: {scope}, names: {{plural: ponds, kind: Pond}}, versions: [
///   {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]}}
/// "#));
/// let mut stored = StoredResources::default();
/// stored.add_file(&file("Namespaced"));
/// let mut found = kvrules::read_rules(&file("Cluster")).diagnostics;
/// assert!(found.is_empty(), "a valid new definition");
/// check_update(&file("Cluster"), &stored, &RunResources::default(), &mut found);
/// assert_eq!(found[0].message, "the update changes the immutable field `spec.scope`");
/// ```
pub fn check_update(
    source: &SourceFile,
    old: &StoredResources,
    run: &RunResources,
    found: &mut Vec<Diagnostic>,
) {
    found.retain(|diagnostic| !is_of_kubernetes(diagnostic));
    let check = |file: &ParsedFile<'_>| kvrules_crd::check_in_run(source, &file.documents, &old.0, &run.0);
    let checked = with_documents(source, check);
    found.extend(checked.findings);
    found.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
}

/// True for the findings of `kvrules-crd`.
fn is_of_kubernetes(found: &Diagnostic) -> bool {
    kvrules_crd::lints::LINTS.iter().any(|lint| found.is_of(lint))
}

/// True if a file refers to CustomResourceDefinitions and cannot be read to its end, so that costs may be missing.
///
/// ```
/// use kvrules::{FileId, SourceFile, crd::is_broken};
///
/// let is_broken = |text: &str| is_broken(&SourceFile::new(FileId(0), "crd.yaml", text));
/// assert!(is_broken("kind: CustomResourceDefinition\nspec: {group: example.com\n"), "a brace is not closed");
/// assert!(!is_broken("kind: CustomResourceDefinition\nspec: {group: example.com}\n"));
/// ```
pub fn is_broken(source: &SourceFile) -> bool {
    let is_about = source.mentions_word("CustomResourceDefinition");
    is_about && with_documents(source, |file| file.documents.iter().any(|it| !kvrules_crd::is_sound(it)))
}

/// Returns the text of a file with the bounds that bring rules under their budgets; `None` if `costs`, which come from
/// [`estimate_costs`] of the same file, propose no bounds.
///
/// ```
/// use kvrules::crd::{Headroom, estimate_costs, with_bounds};
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {name: ponds.example.com}
/// spec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {fish: {type: array,
///   items: {type: string}, x-kubernetes-validations: [{rule: "self.all(a, self.exists_one(b, a == b))"}]}}}}}]}
/// "#;
/// let source = SourceFile::new(FileId(0), "crd.yaml", text);
/// let bounded = with_bounds(&source, &estimate_costs(&source, Headroom::default())).unwrap();
/// assert!(bounded.contains("maxItems: "));
///
/// let bounded = SourceFile::new(FileId(0), "crd.yaml", bounded);
/// assert_eq!(with_bounds(&bounded, &estimate_costs(&bounded, Headroom::default())), None);
/// ```
pub fn with_bounds(source: &SourceFile, costs: &[DefinitionCost]) -> Option<String> {
    let versions = costs.iter().flat_map(|definition| &definition.versions);
    let mut edits: Vec<_> = versions.flat_map(|version| version.edits.iter().cloned()).collect();
    edits.sort();
    edits.dedup();
    if edits.is_empty() { None } else { kvrules_syntax::edit::apply_edits(source.text(), &edits) }
}

/// Checks the definitions and policies in a file; returns the number of rules of each definition.
pub(crate) fn check_documents(
    file: &ParsedFile<'_>,
    run: &RunResources,
    found: &mut Vec<Diagnostic>,
) -> Vec<usize> {
    let stored = kvrules_crd::StoredResources::default();
    let checked = kvrules_crd::check_in_run(file.source, &file.documents, &stored, &run.0);
    let is_reported = found.iter().any(|known| known.is_of(&TEMPLATED_TEXT));
    found.extend(templated_diagnostic(&checked.undecided, Cause::Tag).filter(|_| !is_reported));
    found.extend(templated_diagnostic(&checked.undecided, Cause::Parameter));
    found.extend(checked.findings);
    checked.rules
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
    let mut fields: Vec<_> = parts().map(|part| &part.field).collect();
    fields.dedup();
    let message = format!("{what} affect {}, which cannot be checked", quote_names(&fields, NAMED));
    Some(TEMPLATED_TEXT.diagnostic_at(first.span, message).with_help(help))
}
