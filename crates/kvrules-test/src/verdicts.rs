//! Verdicts on objects: by the meaning of their rules, and as the deployed validator and API servers answer.
//!
//! [`Evaluator::evaluate_objects`] looks for VirtualMachines in a text: bare, in lists, or in templates, which are processed as
//! their engine does. Each is evaluated against the rules given with [`Evaluator::use_rules`], else those that it carries,
//! else those of its template. If both engines evaluate it, the differences between their answers are reported by name.
//!
//! An [`Evaluator`] can be cloned for each of several threads. The clones share the rules that were given.
//!
//! ```
//! use kvrules::{FileId, SourceFile, eval::{Engine, Evaluator, Options}};
//!
//! let vm = r#"{"kind": "VirtualMachine", "metadata": {"name": "v", "annotations": {"vm.kubevirt.io/validations":
//!   "[{\"name\": \"r\", \"rule\": \"integer\", \"message\": \"m\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 2}]"
//! }}, "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}}"#;
//! let mut evaluator = Evaluator::new(Options { engine: Engine::Both, ..Options::default() });
//! let results = evaluator.evaluate_objects(&SourceFile::new(FileId(0), "vm.json", vm));
//! assert!(results[0].is_rejected() && !results[0].has_engine_difference() && results[0].differences.is_empty());
//! ```

mod answer;
mod crd;
mod default_engine;
mod policy;

mod engines;
mod find;
mod given_rules;
mod kind_schemas;
mod rules;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kvrules_diagnostics::{Level, SourceFile, Span};
use kvrules_elaborate::annotation::{self, Annotation, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::object::{self, ParameterValues};
use kvrules_elaborate::template::{Template, TemplateKind};
use kvrules_lint::LintedFile;
use kvrules_rule_set::RuleSet;
use kvrules_syntax::{Document, Entry, Node, ProblemKind, source_stream};
use serde_json::Value;

use find::{FoundObject, ObjectFilter, find_objects, name_of};
use given_rules::GivenRules;
use kind_schemas::SchemaKey;
use kvrules_sources::with_documents;
use rules::PreparedRules;

pub use answer::{
    Evaluation, EvaluationFault, FoundValue, NamedDifference, RuleAnswer, RuleDifference, SpecAnswer,
    SpecVerdict,
};
pub use crd::{CrdAnswer, CrdError, CrdVerdict, Definitions, ObjectLocation, StoredObjects, WriteTarget};
pub use default_engine::EvaluationRules;
pub use kind_schemas::KindSchemas;
pub use kvrules_template_validator::{DenialCause, RuleStatus, ValidatorAnswer};
pub use policy::{
    AdmissionAnswer, AdmissionDenial, AdmissionVerdict, AllowedAction, DeclaredResource, KnownResources,
    PolicyFailure, PolicyFile, PolicyFileRole, PolicyResult, PolicyResultKind, PolicyRules, RequestOperation,
    RequestSetup, RequestUser, drop_built_in_nulls,
};
pub use rules::UnsoundRules;

/// Engine to evaluate with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The meaning of the rules.
    #[default]
    Spec,
    /// The deployed template validator.
    Ssp,
    /// Both.
    Both,
    /// An API server that has the objects' CustomResourceDefinitions.
    Crd,
    /// The admission of an API server that has ValidatingAdmissionPolicies.
    Policy,
}

/// Options of the evaluation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Engine to evaluate with.
    pub engine: Engine,
    /// True if every rule is explained, and not only those that are violated.
    pub trace: bool,
    /// The values of parameters of templates, which override those of the template.
    pub parameters: BTreeMap<String, String>,
    /// The fields of the objects; none for those of a VirtualMachine.
    pub catalog: Option<Arc<Catalog>>,
    /// The schemas of objects of several kinds, for [`Engine::Spec`]: each object is evaluated with that of its own, and `catalog` is
    /// not used.
    pub kinds: Option<Arc<KindSchemas>>,
    /// The definitions of the objects, for [`Engine::Crd`]; without them that engine has no answer.
    pub definitions: Option<Arc<Definitions>>,
    /// The RuleSets, for [`Engine::Spec`]: every object is evaluated against those about it, and nothing else is used.
    pub rule_sets: Option<Arc<Vec<RuleSet>>>,
    /// The policies, for [`Engine::Policy`]; without them that engine has no answer.
    pub policies: Option<Arc<PolicyRules>>,
    /// The objects that are stored already, for [`Engine::Crd`] and [`Engine::Policy`]: those that take their place are updates.
    pub stored: Option<Arc<StoredObjects>>,
    /// Target of the writes, for [`Engine::Crd`].
    pub target: WriteTarget,
}

/// Number of rule sets that are kept at most. Releases of templates have some hundred different ones.
const KEPT: usize = 512;

/// Evaluates objects. It keeps the rules that it used, since most objects of a run share them.
#[derive(Clone, Debug)]
pub struct Evaluator {
    options: Options,
    catalog: Arc<Catalog>,
    given: Option<GivenRules>,
    /// The text that rules were given in, and the template that was chosen in it.
    given_in: Option<Arc<(SourceFile, Option<String>)>>,
    /// For each kind of object so far, the evaluator for its objects.
    of_kinds: BTreeMap<SchemaKey, Result<Box<Evaluator>, String>>,
    /// Rules that objects carried, by their text.
    kept: HashMap<String, Arc<PreparedRules>>,
    /// Of each parameter that the user gives, whether some template has it. The clones share this.
    used: Arc<BTreeMap<String, AtomicBool>>,
}

impl Evaluator {
    /// Creates an evaluator that evaluates each object by its own rules.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
    /// let results = Evaluator::new(Options::default()).evaluate_objects(&SourceFile::new(FileId(0), "vm.yaml", vm));
    /// assert!(results[0].spec.is_none() && results[0].fault.is_some(), "it has no rules");
    /// ```
    pub fn new(options: Options) -> Self {
        let names = options.parameters.keys();
        let used = names.map(|name| (name.clone(), AtomicBool::new(false))).collect();
        let catalog = options.catalog.clone();
        let catalog = catalog.unwrap_or_else(|| Arc::new(Catalog::kubevirt_vm().clone()));
        Self {
            options,
            catalog,
            given: None,
            given_in: None,
            of_kinds: BTreeMap::new(),
            kept: HashMap::new(),
            used: Arc::new(used),
        }
    }

    /// Evaluates every object by the rules in a text: its only rule set, or that of the template with this name. Of a text
    /// with the rule sets of several templates and no name, each VirtualMachine is evaluated by that of the template which
    /// its label `vm.kubevirt.io/template` names, else of the template that contains it.
    ///
    /// Parameters in the rules are replaced as when the template is processed; values of the user come first.
    ///
    /// # Errors
    ///
    /// A sentence with the reason: the text cannot be read, or it has no rule set of this template, or several.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options, SpecVerdict};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
    /// "#;
    /// let vm = "kind: VirtualMachine\nmetadata: {name: fedora}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
    /// let mut evaluator = Evaluator::new(Options::default());
    /// evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None)?;
    /// let results = evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vm.yaml", vm));
    /// assert_eq!(results[0].spec.as_ref().unwrap().verdict, SpecVerdict::Rejected);
    /// # Ok::<(), String>(())
    /// ```
    pub fn use_rules(&mut self, source: &SourceFile, template: Option<&str>) -> Result<(), String> {
        with_documents(source, |file| {
            let relevant = file.input.relevant_documents(&file.documents);
            if let Some(broken) = relevant.into_iter().find(|document| is_broken(document)) {
                let Evaluation { at, fault, .. } = unparsed_evaluation(source, broken);
                let message = fault.map(|fault| fault.message).unwrap_or_default();
                return Err(format!("{}:{}:{}: {message}", source.name(), at.line, at.column));
            }
            let copy = source.with_text(source.text());
            self.given_in = Some(Arc::new((copy, template.map(str::to_owned))));
            let mut used = |values: &ParameterValues| self.note_parameters(values);
            let given = (&self.options.parameters, &self.catalog);
            self.given = Some(GivenRules::new(source, &file.documents, template, given, &mut used)?);
            Ok(())
        })
    }

    /// The parameters that the user gives and no template has had so far, in alphabetical order.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    ///
    /// let parameters = [("NAME".to_owned(), "v".to_owned())].into();
    /// let evaluator = Evaluator::new(Options { parameters, ..Options::default() });
    /// assert_eq!(evaluator.unused_parameters(), ["NAME"]);
    /// ```
    pub fn unused_parameters(&self) -> Vec<&str> {
        let unused = self.used.iter().filter(|(_, used)| !used.load(Ordering::Relaxed));
        unused.map(|(name, _)| name.as_str()).collect()
    }

    /// Notes which parameters a template has.
    fn note_parameters(&self, values: &ParameterValues) {
        for (_, used) in self.used.iter().filter(|(name, _)| values.has_parameter(name)) {
            used.store(true, Ordering::Relaxed);
        }
    }

    /// Evaluates each object in a text; returns the results in their order. An object that cannot be evaluated has a fault in
    /// its result.
    ///
    /// ```
    /// use kvrules::eval::{Evaluator, Options};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let rules = r#"
    /// vm.kubevirt.io/validations: |
    ///   [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2}]
    /// "#;
    /// let vms = "
    /// kind: List
    /// items:
    /// - {kind: VirtualMachine, metadata: {name: small}, spec: {template: {spec: {domain: {cpu: {cores: 2}}}}}}
    /// - {kind: VirtualMachine, metadata: {name: large}, spec: {template: {spec: {domain: {cpu: {cores: 3}}}}}}
    /// ";
    /// let mut evaluator = Evaluator::new(Options::default());
    /// evaluator.use_rules(&SourceFile::new(FileId(0), "rules.yaml", rules), None)?;
    /// let results = evaluator.evaluate_objects(&SourceFile::new(FileId(1), "vms.yaml", vms));
    /// let rejected = results.iter().map(|result| (result.name.as_deref().unwrap(), result.is_rejected()));
    /// assert_eq!(rejected.collect::<Vec<_>>(), [("small", false), ("large", true)]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn evaluate_objects(&mut self, source: &SourceFile) -> Vec<Evaluation> {
        let stream = source_stream(source);
        stream.documents.iter().flat_map(|document| self.evaluate_document(source, document)).collect()
    }

    fn evaluate_document(&mut self, source: &SourceFile, document: &Document<'_>) -> Vec<Evaluation> {
        if is_broken(document) {
            return vec![unparsed_evaluation(source, document)];
        }
        if self.options.engine == Engine::Crd {
            let definitions = self.options.definitions.as_ref();
            return definitions.map_or_else(Vec::new, |definitions| {
                crd::evaluate_objects(source, document, definitions, &self.options)
            });
        }
        if self.options.engine == Engine::Policy {
            let policies = self.options.policies.as_ref();
            return policies.map_or_else(Vec::new, |policies| {
                policy::evaluate_objects(source, document, policies, &self.options)
            });
        }
        if let Some(sets) = &self.options.rule_sets {
            return words::evaluate_objects(source, document, sets, &self.options);
        }
        let Some(root) = document.root().filter(|root| root.kind() != kvrules_syntax::SyntaxKind::Null)
        else {
            return Vec::new();
        };
        let kinds = self.options.kinds.clone();
        let wanted = match &kinds {
            Some(kinds) => ObjectFilter::Kinds(kinds),
            None => ObjectFilter::Subject(self.catalog.subject()),
        };
        let found = find_objects(root, wanted);
        let evaluate = |found| match (found, &kinds) {
            (FoundObject::Other(node, message), _) => refused_evaluation(source, node, message),
            (FoundObject::Machine(machine, _, template), None) => {
                self.evaluate_machine(source, document, machine, template)
            }
            (FoundObject::Machine(machine, kind, template), Some(kinds)) => {
                match self.of_kind(kinds, kind, machine) {
                    Ok(own) => own.evaluate_machine(source, document, machine, template),
                    Err(message) => {
                        let fault = Some(EvaluationFault::new(source, machine.span(), message));
                        Evaluation { fault, ..unnamed_evaluation(source, machine, template) }
                    }
                }
            }
        };
        found.into_iter().map(evaluate).collect()
    }

    /// Returns the evaluator for objects of a kind.
    fn of_kind(&mut self, kinds: &KindSchemas, kind: &str, object: Node<'_>) -> Result<&mut Self, String> {
        let key = kinds.find_schema_key(kind, object)?;
        if !self.of_kinds.contains_key(&key) {
            let own = kinds.find_catalog(&key).and_then(|catalog| self.with_catalog(catalog));
            self.of_kinds.insert(key.clone(), own.map(Box::new));
        }
        match self.of_kinds.get_mut(&key) {
            Some(Ok(own)) => Ok(own),
            Some(Err(message)) => Err(message.clone()),
            None => Err(format!("no schema for {kind}")),
        }
    }

    /// Evaluates the same rules on objects with other fields.
    fn with_catalog(&self, catalog: Arc<Catalog>) -> Result<Self, String> {
        let options = Options { catalog: Some(catalog), kinds: None, ..self.options.clone() };
        let mut own = Self { used: Arc::clone(&self.used), ..Self::new(options) };
        if let Some(given) = &self.given_in {
            own.use_rules(&given.0, given.1.as_deref())?;
        }
        Ok(own)
    }

    fn evaluate_machine(
        &mut self,
        source: &SourceFile,
        document: &Document<'_>,
        machine: Node<'_>,
        template: Option<Template<'_>>,
    ) -> Evaluation {
        let values = template.map_or_else(ParameterValues::without_template, |template| {
            ParameterValues::from_template(template, &self.options.parameters)
        });
        self.note_parameters(&values);
        let processed = match template {
            Some(template) => object::process_object(template, machine, &values),
            None => object::document_value(machine),
        };
        let object = match processed {
            Ok(object) => object,
            Err(error) => {
                let fault = EvaluationFault::new(source, error.span, error.message);
                let fault = Some(fault);
                return Evaluation { fault, ..unnamed_evaluation(source, machine, template) };
            }
        };
        let name = object_title(template, object.pointer("/metadata/name").and_then(Value::as_str));
        let mut evaluation = Evaluation { name, ..unnamed_evaluation(source, machine, template) };
        let prepared = match (self.check_root(&object), &self.given) {
            (Ok(()), Some(given)) => {
                given.find_rules(&object, template.and_then(|template| name_of(template.node())))
            }
            (Ok(()), None) => self.own_rules(source, document, machine, template, &values),
            (Err(message), _) => Err(message),
        };
        match prepared.and_then(|prepared| not_empty(&prepared).map(|()| prepared)) {
            Ok(prepared) => self.run_engines(source, machine, &object, &prepared, &mut evaluation),
            Err(message) => evaluation.fault = Some(EvaluationFault::new(source, machine.span(), message)),
        }
        evaluation
    }

    /// Checks that an object has the root of paths.
    fn check_root(&self, object: &Value) -> Result<(), String> {
        let steps = self.catalog.root_steps();
        let root = steps.iter().try_fold(object, |object, step| object.get(step));
        if root.is_some_and(Value::is_object) {
            return Ok(());
        }
        let kind = self.catalog.kind().unwrap_or("object");
        let path = steps.iter().fold(String::new(), |path, step| path + "." + step);
        Err(format!("this {kind} has no object `{path}`, which rules read"))
    }

    /// The rules that a VirtualMachine carries, else those of its template.
    fn own_rules(
        &mut self,
        source: &SourceFile,
        document: &Document<'_>,
        machine: Node<'_>,
        template: Option<Template<'_>>,
        values: &ParameterValues,
    ) -> Result<Arc<PreparedRules>, String> {
        if !self.catalog.subject().is_virtual_machine() {
            return Err("only VirtualMachines contain rules; use `--rules FILE` for other objects".to_owned());
        }
        let own = annotation_of(machine, &[VM_ANNOTATION]);
        // As in the deployed validator, the rules of the template replace an empty annotation.
        let filled = own.filter(|entry| entry.value.as_str() != Some(""));
        let of_template = || annotation_of(template?.node(), &TEMPLATE_ANNOTATIONS);
        let is_read = template.is_some_and(|template| template.kind() == TemplateKind::OpenShift);
        let entry = filled.or_else(|| of_template().filter(|_| is_read)).or(own);
        let entry = entry.ok_or_else(|| no_rules(of_template().map(|entry| entry.key.text())))?;
        let Some(raw) = entry.value.as_str() else {
            return Err(format!("the annotation `{}` is not a string", entry.key.text()));
        };
        let filled = values.fill_text(raw)?;
        let text = filled.as_str().ok_or("with the parameters the rules are not a string")?;
        let kept = self.kept.get(text).filter(|kept| kept.key == entry.key.text());
        if let Some(kept) = kept {
            return Ok(Arc::clone(kept));
        }
        let here = |found: &Annotation<'_>| found.value.span() == entry.value.span();
        let prepared = if raw == text {
            let annotation = annotation::find_annotations(document).into_iter().find(here);
            annotation.map(|annotation| PreparedRules::new(source, annotation, text, &self.catalog))
        } else {
            None
        };
        let prepared =
            prepared.or_else(|| PreparedRules::of_text(entry.key.text(), text, source.name(), &self.catalog));
        let prepared = Arc::new(prepared.ok_or("the rules could not be read")?);
        self.cache_rules(&prepared);
        Ok(prepared)
    }

    /// Keeps rules for the next object that has the same; not those with findings, which are reported where they stand.
    fn cache_rules(&mut self, prepared: &Arc<PreparedRules>) {
        if self.kept.len() >= KEPT {
            self.kept.clear();
        }
        if prepared.unsound.is_none() {
            self.kept.insert(prepared.text.clone(), Arc::clone(prepared));
        }
    }

    /// Asks the engines.
    fn run_engines(
        &self,
        source: &SourceFile,
        machine: Node<'_>,
        object: &Value,
        prepared: &PreparedRules,
        evaluation: &mut Evaluation,
    ) {
        if self.options.engine != Engine::Spec && prepared.key == UNREAD_ANNOTATION {
            let message = format!(
                "the deployed validator never reads `{UNREAD_ANNOTATION}`; rename the annotation to `validations`, or \
                 evaluate with `--engine spec`"
            );
            evaluation.fault = Some(EvaluationFault::new(source, machine.span(), message));
            return;
        }
        let text = (self.options.engine != Engine::Spec)
            .then(|| engines::text_of(object, source.span_text(machine.span())));
        evaluation.ssp = text.as_ref().map(|text| engines::run_validator(prepared, text));
        if self.options.engine == Engine::Ssp {
            return;
        }
        if let Some(unsound) = &prepared.unsound {
            let message = "its rules have errors, so it cannot be evaluated";
            let fault = EvaluationFault::new(source, machine.span(), message.to_owned());
            evaluation.fault = Some(EvaluationFault { unsound: Some(unsound.clone()), ..fault });
            return;
        }
        let (spec, verdicts) = engines::evaluate_meaning(prepared, object, self.options.trace);
        if let (Some(text), Some(answer)) = (&text, &evaluation.ssp) {
            evaluation.differences =
                engines::find_differences(prepared, (&spec, &verdicts), answer, (text, object));
        }
        evaluation.spec = Some(spec);
    }
}

impl EvaluationFault {
    fn new(source: &SourceFile, span: Span, message: String) -> Self {
        Self { at: source.position_at(span.start), message, is_other_kind: false, unsound: None }
    }
}

/// The first of some annotations that an object has.
fn annotation_of<'d>(node: Node<'d>, keys: &[&str]) -> Option<Entry<'d>> {
    let annotations = node.get("metadata")?.get("annotations")?;
    keys.iter().find_map(|key| annotations.entry(key))
}

/// The name of the annotation in the text of 201901, which the deployed validator does not read.
// ssp-operator validation/rules.go, getValidationRulesForVM
const UNREAD_ANNOTATION: &str = "validation";

/// Returns the reason why a machine has no rules; `on_template` is the annotation of its template that nothing reads.
fn no_rules(on_template: Option<&str>) -> String {
    let message = format!("this VirtualMachine has no rules: missing annotation `{VM_ANNOTATION}`");
    match on_template {
        Some(key) => {
            format!("{message}, and nothing reads `{key}` on its template; `kvrules migrate` moves the rules")
        }
        None => message,
    }
}

/// Checks that there is a rule to evaluate. If the rules have errors, those are reported instead.
fn not_empty(prepared: &PreparedRules) -> Result<(), String> {
    if prepared.members.is_empty() && prepared.unsound.is_none() {
        return Err(format!("no rules to evaluate: empty annotation `{}`", prepared.key));
    }
    Ok(())
}

/// Returns the title of an object, with its template's name if it is in one.
fn object_title(template: Option<Template<'_>>, own: Option<&str>) -> Option<String> {
    let own = own.filter(|name| !name.is_empty());
    match (template.and_then(|template| name_of(template.node())), own) {
        (Some(template), Some(own)) => Some(format!("{template}/{own}")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

/// An object of which nothing is known yet but its place and the name that is written.
fn unnamed_evaluation(source: &SourceFile, node: Node<'_>, template: Option<Template<'_>>) -> Evaluation {
    let at = source.position_at(node.span().start);
    Evaluation {
        name: object_title(template, name_of(node)),
        at,
        spec: None,
        ssp: None,
        crd: None,
        policy: None,
        differences: Vec::new(),
        fault: None,
    }
}

fn refused_evaluation(source: &SourceFile, node: Node<'_>, message: String) -> Evaluation {
    let fault = EvaluationFault { is_other_kind: true, ..EvaluationFault::new(source, node.span(), message) };
    Evaluation { fault: Some(fault), ..unnamed_evaluation(source, node, None) }
}

/// True if a document could not be read. Of a key that stands twice the last one counts, for Kubernetes as for us.
fn is_broken(document: &Document<'_>) -> bool {
    document.problems().iter().any(|problem| problem.kind != ProblemKind::DuplicateKey)
}

/// A document that the parser could not read, with the first thing that is wrong.
fn unparsed_evaluation(source: &SourceFile, document: &Document<'_>) -> Evaluation {
    let found = kvrules_lint::lint_file(&LintedFile::new(source, &[document], &[]));
    let first = found.into_iter().find(|found| found.level == Level::Error);
    let problem = document.problems().first().map(|problem| problem.span.start).unwrap_or_default();
    let (at, message) = first.map_or((problem, "this cannot be read".to_owned()), |found| {
        (found.primary.span.start, found.message)
    });
    let at = source.position_at(at);
    let name = document.root().and_then(name_of).map(str::to_owned);
    Evaluation {
        name,
        at,
        spec: None,
        ssp: None,
        crd: None,
        policy: None,
        differences: Vec::new(),
        fault: Some(EvaluationFault { at, message, is_other_kind: false, unsound: None }),
    }
}

#[cfg(test)]
mod tests;
