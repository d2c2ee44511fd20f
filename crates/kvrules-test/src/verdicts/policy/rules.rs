//! The policies of an evaluation with all that they need: bindings, parameters, namespaces, resources.

use std::collections::BTreeSet;

use kvrules_apiserver::policy::{Binding, ParamKind, Policy, ResourceScope, restated_definition};
use kvrules_diagnostics::{Diagnostic, Span, suggest_nearest};
use serde_json::{Value, json};

use super::super::crd::Definitions;
use super::places::FieldPlaces;
use super::read::{OtherObject, PolicyFile, PolicyFileRole, ReadFiles, RuleDocument, to_diagnostic};
use super::request::{RequestSetup, drop_built_in_nulls, drop_null_fields, label_namespace, set_namespace};
use super::resources::{ResourceTable, group_of, unknown_resource};

/// The policies that objects are evaluated with.
#[derive(Debug)]
pub struct PolicyRules {
    pub(super) policies: Vec<Policy>,
    pub(super) policy_places: Vec<FieldPlaces>,
    pub(super) bindings: Vec<Binding>,
    /// The locations of each binding; of none that stands for a missing one.
    pub(super) binding_places: Vec<Option<FieldPlaces>>,
    pub(super) params: Vec<(String, Value)>,
    /// True if parameters were given, so that others do not exist.
    has_params: bool,
    pub(super) namespaces: Vec<Value>,
    pub(super) resources: ResourceTable,
    pub(super) definitions: Option<Definitions>,
    pub(super) setup: RequestSetup,
    notes: Vec<String>,
}

impl PolicyRules {
    /// Reads the policies of files, and what they refer to.
    ///
    /// # Errors
    ///
    /// All for which a server would reject a document, a reference to something that is missing, and files without
    /// anything of their role, each with its location.
    ///
    /// ```
    /// use kvrules::eval::{Engine, Evaluator, Options, PolicyFile, PolicyFileRole, PolicyRules, RequestSetup};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let policy = r#"
    /// apiVersion: admissionregistration.k8s.io/v1
    /// kind: ValidatingAdmissionPolicy
    /// metadata: {name: replicas}
    /// spec:
    ///   matchConstraints:
    ///     resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
    ///   validations:
    ///   - expression: object.spec.replicas <= 5
    /// "#;
    /// let source = SourceFile::new(FileId(0), "policy.yaml", policy);
    /// let file = PolicyFile { source: &source, role: PolicyFileRole::Rules, is_searched: false };
    /// let rules = PolicyRules::read_files(&[file], RequestSetup::default())?;
    /// assert_eq!(rules.notes().len(), 1, "it has no binding");
    ///
    /// let options = Options { engine: Engine::Policy, policies: Some(rules.into()), ..Options::default() };
    /// let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n";
    /// let result = Evaluator::new(options).evaluate_objects(&SourceFile::new(FileId(0), "web.yaml", web)).remove(0);
    /// let failure = &result.policy.unwrap().policies[0].failures[0];
    /// assert_eq!(failure.message, "failed expression: object.spec.replicas <= 5");
    /// assert_eq!((failure.file.as_str(), failure.at.line, failure.at.column), ("policy.yaml", 9, 17));
    /// # Ok::<(), Vec<kvrules::Diagnostic>>(())
    /// ```
    pub fn read_files(files: &[PolicyFile<'_>], setup: RequestSetup) -> Result<Self, Vec<Diagnostic>> {
        let mut read = ReadFiles { kubernetes: setup.kubernetes, ..ReadFiles::default() };
        for file in files {
            read.add_file(file);
        }
        let mut faults = std::mem::take(&mut read.faults);
        if read.policies.is_empty() && faults.is_empty() {
            let span = files.first().map(|file| Span::new(file.source.id(), 0, 0)).unwrap_or_default();
            faults.push(to_diagnostic(span, "no ValidatingAdmissionPolicy in these files"));
        }
        let mut rules = Self::with_setup(setup);
        rules.add_definitions(files, &read.definitions, &mut faults);
        if faults.is_empty() {
            rules.add_policies(read.policies, &mut faults);
            rules.add_bindings(read.bindings, &mut faults);
            rules.has_params = rules.setup.has_all_params
                || files.iter().any(|file| file.role == PolicyFileRole::Parameters);
            rules.add_others(read.others, &mut faults);
            rules.require_params(&mut faults);
            rules.bind_unbound();
        }
        if faults.is_empty() { Ok(rules) } else { Err(faults) }
    }

    /// Returns notes for the user: policies without a binding, and objects without effect.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn with_setup(setup: RequestSetup) -> Self {
        Self {
            policies: Vec::new(),
            policy_places: Vec::new(),
            bindings: Vec::new(),
            binding_places: Vec::new(),
            params: Vec::new(),
            has_params: false,
            namespaces: Vec::new(),
            resources: ResourceTable::with_known(),
            definitions: None,
            setup,
            notes: Vec::new(),
        }
    }

    fn add_definitions(
        &mut self,
        files: &[PolicyFile<'_>],
        definitions: &[Value],
        faults: &mut Vec<Diagnostic>,
    ) {
        for definition in definitions {
            self.resources.add_definition(definition);
        }
        for declared in &self.setup.resources {
            self.resources.add_declared(declared);
        }
        let is_for_definitions = |file: &&PolicyFile<'_>| {
            matches!(file.role, PolicyFileRole::Rules | PolicyFileRole::Definitions)
                && !Definitions::kinds_in(file.source).is_empty()
        };
        for file in files.iter().filter(is_for_definitions) {
            match Definitions::read_definitions(file.source) {
                Ok(read) => {
                    let merged = self.definitions.take();
                    self.definitions = Some(match merged {
                        Some(before) => before.merged_with(read),
                        None => read,
                    });
                }
                Err(found) => faults.extend(found),
            }
        }
    }

    fn add_policies(&mut self, documents: Vec<RuleDocument>, faults: &mut Vec<Diagnostic>) {
        for RuleDocument { value, places } in documents {
            let mut policy = Policy::from_json(&value);
            if let Some(definition) = restated_definition(&value) {
                self.resources.add_definition(definition);
            }
            if self.policies.iter().any(|known| known.name == policy.name) {
                let message = format!("duplicate policy `{}`", policy.name);
                faults.push(to_diagnostic(places.find_place("").span, message));
            }
            if let Some(kind) = &mut policy.param_kind {
                let resource = self.resources.find_resource(&kind.api_version, &kind.kind);
                kind.scope = resource.map(|resource| resource.scope);
                if resource.is_none() {
                    let message = unknown_resource(&kind.api_version, &kind.kind);
                    faults.push(to_diagnostic(places.find_place("spec.paramKind").span, message));
                }
            }
            self.policies.push(policy);
            self.policy_places.push(places);
        }
    }

    fn add_bindings(&mut self, documents: Vec<RuleDocument>, faults: &mut Vec<Diagnostic>) {
        for RuleDocument { value, places } in documents {
            let binding = Binding::from_json(&value);
            let names = || self.policies.iter().map(|policy| policy.name.as_str());
            if self.bindings.iter().any(|known| known.name == binding.name) {
                let message = format!("duplicate binding `{}`", binding.name);
                faults.push(to_diagnostic(places.find_place("").span, message));
            } else if !names().any(|name| name == binding.policy) {
                let message =
                    format!("binding `{}` names the missing policy `{}`", binding.name, binding.policy);
                let help = suggest_nearest(&binding.policy, names())
                    .unwrap_or_else(|| "give the file with the policy with `--rules`".to_owned());
                let span = places.find_place("spec.policyName").span;
                faults.push(to_diagnostic(span, message).with_help(help));
            }
            self.bindings.push(binding);
            self.binding_places.push(Some(places));
        }
    }

    fn add_others(&mut self, others: Vec<OtherObject>, faults: &mut Vec<Diagnostic>) {
        for mut other in others {
            let kinds = || self.policies.iter().filter_map(|policy| policy.param_kind.as_ref());
            let is_same = |it: &&ParamKind| {
                it.kind == other.kind && group_of(&it.api_version) == group_of(&other.api_version)
            };
            let known = kinds().find(is_same).map(|kind| (kind.api_version.clone(), kind.scope));
            let is_namespace = (other.kind.as_str(), other.api_version.as_str()) == ("Namespace", "v1");
            match known {
                Some((version, _)) if version != other.api_version => {
                    let message =
                        format!("parameter in `{}`, but `paramKind` names `{version}`", other.api_version);
                    let help =
                        format!("write it in `{version}`, since the result of a conversion is unknown");
                    faults.push(to_diagnostic(other.span, message).with_help(help));
                }
                Some((_, scope)) if other.role != PolicyFileRole::Namespaces => {
                    drop_built_in_nulls(&mut other.value);
                    set_namespace(
                        &mut other.value,
                        scope.unwrap_or(ResourceScope::Namespaced),
                        &self.setup.namespace,
                    );
                    self.add_param(other, faults);
                }
                _ if is_namespace && other.role != PolicyFileRole::Parameters => {
                    self.add_namespace(other, faults);
                }
                _ if other.role == PolicyFileRole::Parameters => {
                    let message = format!("no policy has parameters of kind `{}`", other.kind);
                    let help = format!("`paramKind` of the policies names {}", list_kinds(kinds()));
                    faults.push(to_diagnostic(other.span, message).with_help(help));
                }
                _ if other.is_supplement => {}
                _ => self.notes.push(format!(
                    "ignored `{}` among the rules: neither a policy nor a parameter of one",
                    other.kind
                )),
            }
        }
        self.notes.dedup();
    }

    fn add_param(&mut self, param: OtherObject, faults: &mut Vec<Diagnostic>) {
        let name =
            param.value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.is_empty() {
            faults.push(to_diagnostic(param.span, "missing `metadata.name` of this parameter"));
        }
        self.has_params = true;
        self.params.push((name, param.value));
    }

    /// Reports bindings that refer to parameters, and policies that are to be bound to all of them, if none are given: those of a cluster are unknown.
    fn require_params(&self, faults: &mut Vec<Diagnostic>) {
        if self.has_params {
            return;
        }
        let help = "give them with `--params FILE`, or `--no-params` if the cluster has none";
        let mut report = |message: String, places: &FieldPlaces, field: &str| {
            faults.push(to_diagnostic(places.find_place(field).span, message).with_help(help));
        };
        let with_params = || self.policies.iter().filter(|policy| policy.param_kind.is_some());
        for (binding, places) in self.bindings.iter().zip(&self.binding_places) {
            let refers = binding.param.is_some() && with_params().any(|policy| policy.name == binding.policy);
            if let Some(places) = places.as_ref().filter(|_| refers) {
                let message = format!("parameters of binding `{}` are not given", binding.name);
                report(message, places, "spec.paramRef");
            }
        }
        let is_bound = |name: &str| self.bindings.iter().any(|binding| binding.policy == name);
        for (policy, places) in self.policies.iter().zip(&self.policy_places) {
            if policy.param_kind.is_some() && !is_bound(&policy.name) {
                let message = format!("parameters of policy `{}` are not given", policy.name);
                report(message, places, "spec.paramKind");
            }
        }
    }

    /// Adds a namespace with the label that each has.
    fn add_namespace(&mut self, object: OtherObject, faults: &mut Vec<Diagnostic>) {
        let mut namespace = object.value;
        if namespace.pointer("/metadata/name").and_then(Value::as_str).is_none_or(str::is_empty) {
            faults.push(to_diagnostic(object.span, "missing `metadata.name` of this Namespace"));
        }
        drop_null_fields(&mut namespace);
        label_namespace(&mut namespace);
        self.namespaces.push(namespace);
    }

    /// Binds each policy that no binding names, with the action Deny: to all its parameters if it has any.
    fn bind_unbound(&mut self) {
        for policy in &self.policies {
            if self.bindings.iter().any(|binding| binding.policy == policy.name) {
                continue;
            }
            let kind = policy.param_kind.as_ref();
            let is_own = |param: &&(String, Value)| {
                kind.is_some_and(|it| {
                    let is_equal =
                        |field, text: &str| param.1.get(field).and_then(Value::as_str) == Some(text);
                    is_equal("kind", &it.kind) && is_equal("apiVersion", &it.api_version)
                })
            };
            let mut own = self.params.iter().filter(is_own).map(|(_, param)| param).peekable();
            if own.peek().is_none() {
                self.bindings.push(Binding::for_policy(UNBOUND, &policy.name));
                self.binding_places.push(None);
            }
            for param in own {
                let field = |pointer| param.pointer(pointer).cloned().unwrap_or_default();
                let reference = json!({
                    "name": field("/metadata/name"),
                    "namespace": field("/metadata/namespace"),
                    "parameterNotFoundAction": "Deny",
                });
                self.bindings.push(Binding::from_json(&json!({
                    "metadata": {"name": UNBOUND},
                    "spec": {"policyName": policy.name, "validationActions": ["Deny"], "paramRef": reference},
                })));
                self.binding_places.push(None);
            }
            let name = &policy.name;
            self.notes.push(format!(
                "policy `{name}` has no binding, so a cluster does not enforce it; evaluated as if bound with `Deny`"
            ));
        }
    }

    /// The namespace with a name.
    pub(super) fn find_namespace(&self, name: &str) -> Option<&Value> {
        self.namespaces.iter().find(|it| it.pointer("/metadata/name").and_then(Value::as_str) == Some(name))
    }
}

/// Name of the binding that stands for a missing one.
const UNBOUND: &str = "none";

fn list_kinds<'k>(kinds: impl Iterator<Item = &'k ParamKind>) -> String {
    let names: BTreeSet<_> = kinds.map(|kind| format!("`{}`", kind.kind)).collect();
    if names.is_empty() { "none".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
}
