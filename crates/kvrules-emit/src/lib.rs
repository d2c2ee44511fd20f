//! Emitters: functions from elaborated rule sets to files, one folder a target.
//!
//! Every emitter lowers the same [`Predicate`](kvrules_ir::Predicate) and none decides what a rule means. What two
//! targets share is below both: [`schema`] for the JSON schemas, [`cel`] for CEL, kvrules-pages for documents.
//! Next to its files an emitter says, rule by rule, how exact they are (see [`Fidelity`]).

mod authored_rules;
pub mod cel;
mod crd;
mod emitters;
mod extra_specs;
mod fidelity;
mod fitted_rules;
pub mod lints;
mod pages;
mod policy;
pub mod resource_policy;
pub mod resource_schema;
pub mod schema;
mod source_markers;
pub mod targets;
mod yaml;

pub use authored_rules::{entry_at as rule_entry_at, entry_for as rule_entry_for};
pub use emitters::EMITTERS;
pub use extra_specs::{EXTRA_SPECS, ExtraSpecArtefact, ExtraSpecEmitter};
pub use fidelity::{Fidelity, RuleFidelity};
pub use fitted_rules::RestatedRule;
pub use kvrules_pages::{EmitError, OutputFile, Template};
pub use policy::{PolicyResource, policy_resource};
pub use resource_schema::ClaimMemo;
pub use source_markers::marked_entry;

use std::collections::BTreeMap;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_diagnostics::SourceFile;
use kvrules_extra_specs::Definition;
use kvrules_ir::{ElaboratedSet, Subject};
use kvrules_rule_set::RuleSet;
use serde_json::Value;

/// A target: what it is called and how it is made.
#[derive(Debug)]
pub struct Emitter {
    /// The name on the command line, such as `openapi`.
    pub name: &'static str,
    /// A short description of what it makes.
    pub summary: &'static str,
    /// The options that it accepts.
    pub options: &'static [TargetOption],
    /// Its form for rule sets; `None` if it expresses none.
    pub rule_sets: Option<RuleSetEmitter>,
    /// Its form for definitions of extra specs; `None` if it expresses none.
    pub extra_specs: Option<ExtraSpecEmitter>,
    /// Its form for CustomResourceDefinitions; `None` if it expresses none.
    pub resources: Option<ResourceEmitter>,
    /// Its form for the versions with the rules of RuleSets; `None` if it expresses none.
    pub authored: Option<ResourceEmitter>,
}

/// The form of a target that expresses rule sets.
#[derive(Debug)]
pub struct RuleSetEmitter {
    /// Kind of its files, for those who run them.
    pub artefact: Artefact,
    /// Returns the reason if it cannot be made of a request at all, whatever the rules are: the schema lacks what it needs.
    pub unavailable: fn(&Request<'_>) -> Option<String>,
    /// Makes it.
    pub emit: fn(&Request<'_>) -> Result<Emission, EmitError>,
}

/// The form of a target that expresses CustomResourceDefinitions.
#[derive(Debug)]
pub struct ResourceEmitter {
    /// Makes it.
    pub emit: fn(&Request<'_>) -> Result<Emission, EmitError>,
    /// Reads the rules back from the text of a file that no other program of kvrules runs; `None` for files that are run.
    pub read_entries: Option<ReadEntries>,
    /// True if it expresses definitions for older servers alone: for the newest they would be as they are.
    pub is_for_ranges: bool,
    /// Returns the cause for which it expresses nothing about the objects of a version, whatever the rules are.
    pub unfit_cause: fn(&ResourceVersion) -> Option<&'static str>,
}

impl ResourceEmitter {
    /// Creates a form for any servers.
    pub const fn new(emit: fn(&Request<'_>) -> Result<Emission, EmitError>) -> Self {
        Self { emit, read_entries: None, is_for_ranges: false, unfit_cause: |_| None }
    }
}

/// Returns the entries of `x-kubernetes-validations` that a text means, with the paths of their places.
pub type ReadEntries = fn(&str, &ResourceVersion) -> Vec<(String, Value)>;

/// Kind of the files of a target, and so how they evaluate an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// A JSON Schema, in a JSON or YAML document at this JSON pointer, in which `*` is the only member.
    Schema(&'static str),
    /// A list of `x-kubernetes-validations` for the root of a CustomResourceDefinition's schema.
    ValidationRules,
    /// A CustomResourceDefinition.
    Definition,
    /// ValidatingAdmissionPolicies and their bindings.
    Policies,
    /// The value of the template annotation.
    Annotation,
    /// Something that people read, and that evaluates nothing.
    Document,
}

/// Something that can be chosen about a target.
#[derive(Debug)]
pub struct TargetOption {
    /// Its name, such as `version`.
    pub name: &'static str,
    /// The values that it can have; empty if any text will do.
    pub values: &'static [&'static str],
    /// The value that it has when nothing is chosen.
    pub default: &'static str,
    /// A short description of what it decides.
    pub summary: &'static str,
}

/// The options that were chosen: by target and name.
pub type Options = BTreeMap<(String, String), String>;

/// Input of an emitter.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The rule sets, each written once, with all who use it.
    pub sets: &'a [ElaboratedSet],
    /// The definitions of extra specs, of one layer (see
    /// [`DefinitionRegistry::in_force`](kvrules_extra_specs::DefinitionRegistry::in_force)).
    pub definitions: &'a [Definition],
    /// The versions of CustomResourceDefinitions, and those with the rules of RuleSets.
    pub resources: &'a [ResourceVersion],
    /// The RuleSets, whose rules versions have.
    pub authored: &'a [RuleSet],
    /// The kind of object that the rules are about.
    pub subject: &'a Subject,
    /// The file with the schema of these objects, for targets that build on it.
    pub schema: Option<&'a SourceFile>,
    /// Name of the schema in that file if it has several, as written after `#`.
    pub schema_choice: Option<&'a str>,
    /// The options chosen for targets.
    pub options: &'a Options,
    /// Document templates of the user's own.
    pub templates: &'a [Template],
    /// The version of kvrules, for targets that name their generator.
    pub version: &'a str,
    /// The servers that take what targets for servers make.
    pub servers: KubernetesVersions,
    /// Set if only claims are needed: those that targets share. Targets may then leave out the files of definitions.
    pub only_claims: Option<&'a ClaimMemo>,
}

impl Emitter {
    /// Makes the form for the rule sets of a request.
    ///
    /// # Errors
    ///
    /// The target expresses no rule sets, or cannot be made of the request.
    pub fn emit_rule_sets(&self, request: &Request<'_>) -> Result<Emission, EmitError> {
        match &self.rule_sets {
            Some(form) => (form.emit)(request),
            None => Err(EmitError { message: "it expresses extra specs, and no rules".to_owned() }),
        }
    }

    /// Returns the form for a version of a request.
    pub fn form_of_version(
        &self,
        version: &ResourceVersion,
        request: &Request<'_>,
    ) -> Option<&ResourceEmitter> {
        let form = match &version.authored {
            None => self.resources.as_ref(),
            Some(_) if version.is_of_policy() && !self.expresses_policies() => None,
            Some(_) => self.authored.as_ref(),
        };
        let is_fit = |form: &&ResourceEmitter| {
            (!form.is_for_ranges || !request.servers.is_newest_alone())
                && (form.unfit_cause)(version).is_none()
        };
        form.filter(is_fit)
    }

    /// Returns the cause for which it expresses no RuleSet of a request, if their subjects are the cause.
    pub fn unfit_cause(&self, request: &Request<'_>) -> Option<&'static str> {
        let form = self.authored.as_ref()?;
        let authored = request.resources.iter().filter(|version| version.authored.is_some());
        authored.map(|version| (form.unfit_cause)(version)).collect::<Option<Vec<_>>>()?.first().copied()
    }

    /// True if it expresses the validations of policies: as a schema, for what policies demand of objects.
    pub fn expresses_policies(&self) -> bool {
        self.authored.is_some() && matches!(self.rule_set_artefact(), Some(Artefact::Schema(_)))
    }

    /// True if it expresses a version of a request.
    pub fn expresses_versions(&self, request: &Request<'_>) -> bool {
        request.resources.iter().any(|version| self.form_of_version(version, request).is_some())
    }

    /// Makes the forms for the versions of a request that it expresses.
    ///
    /// # Errors
    ///
    /// It cannot be made of the request.
    pub fn emit_versions(&self, request: &Request<'_>) -> Result<Emission, EmitError> {
        let mut emission = Emission::default();
        for (form, is_authored) in [(&self.resources, false), (&self.authored, true)] {
            let is_of_form = |version: &&ResourceVersion| {
                version.authored.is_some() == is_authored && self.form_of_version(version, request).is_some()
            };
            let is_any = request.resources.iter().any(|version| is_of_form(&version));
            let Some(form) = form.as_ref().filter(|_| is_any) else { continue };
            // Schemas are large, and mostly all of the versions are of one form.
            let chosen: Vec<ResourceVersion>;
            let resources = if request.resources.iter().all(|version| is_of_form(&version)) {
                request.resources
            } else {
                chosen = request.resources.iter().filter(is_of_form).cloned().collect();
                &chosen
            };
            let made = (form.emit)(&Request { resources, ..*request })?;
            emission.files.extend(made.files);
            emission.fidelity.extend(made.fidelity);
            emission.restated.extend(made.restated);
        }
        Ok(emission)
    }

    /// Returns the reason if the form for rule sets cannot be made of a request, whatever its rules are.
    pub fn unavailable_reason(&self, request: &Request<'_>) -> Option<String> {
        (self.rule_sets.as_ref()?.unavailable)(request)
    }

    /// Returns the kind of the files with rule sets; `None` if it expresses none.
    pub fn rule_set_artefact(&self) -> Option<Artefact> {
        self.rule_sets.as_ref().map(|form| form.artefact)
    }

    /// True if its files enforce rules or definitions, and are not only read.
    pub fn is_enforced(&self) -> bool {
        self.enforces_rules()
            || self.enforces_extra_specs()
            || self.resources.is_some()
            || self.authored.is_some()
    }

    /// True if its form for rule sets enforces them.
    pub fn enforces_rules(&self) -> bool {
        self.rule_set_artefact().is_some_and(|artefact| artefact != Artefact::Document)
    }

    /// True if its form for extra specs enforces them.
    pub fn enforces_extra_specs(&self) -> bool {
        self.extra_specs.as_ref().is_some_and(|form| form.artefact == ExtraSpecArtefact::Schema)
    }
}

impl<'a> Request<'a> {
    /// Rule sets about VirtualMachines, with nothing chosen.
    pub fn for_virtual_machines(sets: &'a [ElaboratedSet]) -> Self {
        static NOTHING: Options = Options::new();
        Self {
            sets,
            definitions: &[],
            resources: &[],
            authored: &[],
            subject: Subject::virtual_machine(),
            schema: None,
            schema_choice: None,
            options: &NOTHING,
            templates: &[],
            version: env!("CARGO_PKG_VERSION"),
            servers: KubernetesVersions::default(),
            only_claims: None,
        }
    }

    /// Returns the chosen value of an option of an emitter, else its default.
    pub fn option_value(&self, emitter: &Emitter, name: &str) -> &'a str {
        let chosen = self.options.get(&(emitter.name.to_owned(), name.to_owned()));
        let default =
            || emitter.options.iter().find(|option| option.name == name).map(|option| option.default);
        chosen.map(String::as_str).or_else(default).unwrap_or_default()
    }
}

/// Output of an emitter. Nothing is written to disk yet.
#[derive(Clone, Debug, Default)]
pub struct Emission {
    /// The files, in the order of the sets.
    pub files: Vec<OutputFile>,
    /// The fidelity of each rule of each set, or of each definition, in order.
    pub fidelity: Vec<RuleFidelity>,
    /// The rules that are written in an equivalent form.
    pub restated: Vec<RestatedRule>,
}

/// The target with this name.
pub fn find_emitter(name: &str) -> Option<&'static Emitter> {
    EMITTERS.iter().copied().find(|emitter| emitter.name == name)
}
