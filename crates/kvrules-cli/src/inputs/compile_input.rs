//! Rules, definitions and policies of a run, as targets are generated from them and verified.

use std::collections::HashMap;

use kvrules::crd::{ResourceKind, ResourceText};
use kvrules::extra_specs::{Definition, DefinitionRegistry, definition_layers};
use kvrules::rule_set::RuleSet;
use kvrules::{ElaboratedSet, Options, Request, ResourceVersion};

use super::LoadedFiles;
use crate::failure::Failure;
use crate::settings::{RuleSubject, Settings};
use crate::terminal::Terminal;

/// The units of a run that targets express.
pub(crate) struct CompileInput {
    /// Rule sets, each once, with all who use it.
    pub(crate) sets: Vec<ElaboratedSet>,
    definitions: Vec<Definition>,
    /// The versions that definitions, RuleSets and policies are about, with the rules.
    resources: Vec<ResourceVersion>,
    authored: Vec<RuleSet>,
    /// The names of the policies that match no kind whose types are known.
    unknown: Vec<String>,
}

impl CompileInput {
    /// Returns a request for targets.
    pub(crate) fn request<'r>(
        &'r self,
        about: &'r RuleSubject,
        options: &'r Options,
        settings: &Settings,
    ) -> Request<'r> {
        Request {
            definitions: &self.definitions,
            resources: &self.resources,
            authored: &self.authored,
            subject: about.catalog.subject(),
            schema: about.schema(),
            schema_choice: about.choice.as_deref(),
            options,
            servers: settings.kubernetes(),
            ..Request::for_virtual_machines(&self.sets)
        }
    }

    /// True if there is nothing that a target could express.
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.definitions.is_empty() && self.resources.is_empty()
    }

    /// Reports the policies that are left out.
    pub(crate) fn report_unknown(&self, terminal: &Terminal) {
        for name in &self.unknown {
            terminal.note(&format!("the policy `{name}` is left out: {UNKNOWN_KINDS}"));
        }
    }

    /// The failure if there are only policies that are left out.
    pub(crate) fn only_unknown(&self) -> Option<Failure> {
        let name = self.unknown.first().filter(|_| self.is_empty())?;
        let help =
            "give the CustomResourceDefinitions of the resources in `matchConstraints`, in another file";
        Some(Failure::new(format!("the policy `{name}` cannot be compiled: {UNKNOWN_KINDS}")).help(help))
    }
}

/// The reason why a policy is left out.
const UNKNOWN_KINDS: &str = "it matches no resource by name whose types are known";

/// Refuses a RuleSet with a parameter that has no value at compile time, and that policies do not read from the cluster.
pub(crate) fn refuse_missing_value(set: &RuleSet) -> Result<(), Failure> {
    match set.parameters.first_without_value().filter(|_| !set.parameters.has_source()) {
        Some(name) => {
            let message = format!("the parameter `{name}` of `{}` has no value", set.name);
            let help = format!("add `--set {name}=VALUE`, or a `default` in the RuleSet");
            Err(Failure::new(message).help(help))
        }
        None => Ok(()),
    }
}

impl LoadedFiles {
    /// Returns what targets express of the files. No two definitions of a version, RuleSets or policies may have the same name.
    pub(crate) fn compile_input(&self) -> Result<CompileInput, Failure> {
        let mut resources = self.resource_versions()?;
        let (of_policies, unknown) = self.policy_versions()?;
        resources.extend(of_policies);
        let sets = self.readings.iter().flat_map(|reading| reading.sets.iter().cloned()).collect();
        Ok(CompileInput {
            sets: kvrules::merge_rule_sets(sets),
            definitions: self.effective_definitions(),
            resources,
            authored: self.readings.iter().flat_map(|reading| reading.rule_sets.iter().cloned()).collect(),
            unknown,
        })
    }

    /// The definitions of extra specs that decide, with those that are built in before those of the inputs; none if the inputs
    /// define nothing.
    fn effective_definitions(&self) -> Vec<Definition> {
        let of_files = self.readings.iter().map(|reading| reading.definitions.clone());
        let own: Vec<_> = of_files.filter(|definitions| !definitions.is_empty()).collect();
        if own.is_empty() { Vec::new() } else { DefinitionRegistry::new(definition_layers(own)).in_force() }
    }

    /// The versions of the CustomResourceDefinitions in the files, and the versions that their RuleSets are about, with the rules.
    pub(crate) fn resource_versions(&self) -> Result<Vec<ResourceVersion>, Failure> {
        let found = self.definitions()?;
        let of_definitions = found.into_iter().flat_map(|(_, definitions)| definitions.into_versions());
        let mut versions: Vec<_> = of_definitions.collect();
        versions.extend(self.rule_set_versions()?);
        Ok(versions)
    }

    /// The versions that RuleSets are about. No two RuleSets may have the same name.
    fn rule_set_versions(&self) -> Result<Vec<ResourceVersion>, Failure> {
        let mut known: HashMap<&str, &str> = HashMap::new();
        let mut versions = Vec::new();
        for (reading, source) in self.readings.iter().zip(self.sources.files()) {
            for set in &reading.rule_sets {
                if let Some(other) = known.insert(&set.name, source.name()) {
                    let message = format!("two RuleSets with the name `{}`", set.name);
                    let places = format!("they are in {other} and {}; rename one of them", source.name());
                    return Err(Failure::new(message).help(places));
                }
                refuse_missing_value(set)?;
                versions.extend(set.versions());
            }
        }
        Ok(versions)
    }

    /// The versions that policies are about, with their validations as rules, and the names of the policies that match no kind
    /// whose types are known.
    fn policy_versions(&self) -> Result<(Vec<ResourceVersion>, Vec<String>), Failure> {
        let texts = self.policy_texts();
        let versions = kvrules::crd::policy_versions(&texts, &self.resources);
        let mut names: Vec<&str> = policy_names(&texts).collect();
        names.sort_unstable();
        if let Some([name, ..]) = names.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(Failure::new(format!("two policies with the name `{name}`"))
                .help("rename one of them, or leave it out"));
        }
        let is_expressed = |name: &&str| versions.iter().any(|version| origin_name(version) == Some(*name));
        let unknown = names.into_iter().filter(|name| !is_expressed(name)).map(str::to_owned).collect();
        Ok((versions, unknown))
    }
}

fn policy_names(texts: &[ResourceText]) -> impl Iterator<Item = &str> {
    let policies = texts.iter().filter(|text| text.kind == ResourceKind::Policy);
    policies.filter_map(|policy| policy.value.pointer("/metadata/name").and_then(serde_json::Value::as_str))
}

/// The name of the policy whose validations the rules of a version are.
fn origin_name(version: &ResourceVersion) -> Option<&str> {
    let policy = version.authored.as_ref()?.policy.as_ref()?;
    policy.document.pointer("/metadata/name")?.as_str()
}
