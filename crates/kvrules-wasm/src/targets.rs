//! Fidelity of the targets to the rules of a source.

use kvrules::crd::{RunResources, policy_versions, read_policies};
use kvrules::eval::Definitions;
use kvrules::extra_specs::{DefinitionRegistry, definition_layers};
use kvrules::loss::{LossPolicy, LossReport};
use kvrules::rule_set::RuleSet;
use kvrules::{
    FileReading, Level, Request, ResourceVersion, SourceFile, all_targets, compile_targets, merge_rule_sets,
    partition_targets,
};
use serde_json::json;

use crate::check::CheckedSource;
use crate::messages::{Refusal, Source};

/// The report of losses, as `kvrules compile` writes it.
pub(crate) fn compile_source(source: &Source) -> Result<String, Refusal> {
    let read = CheckedSource::read(source)?;
    let (reading, file) =
        (&read.checked.reading, read.file().ok_or_else(|| Refusal("no source".to_owned()))?);
    // The command compiles nothing that has errors either.
    if reading.diagnostics.iter().any(|found| found.level == Level::Error) {
        return Err(Refusal("rules with errors are not compiled; repair the findings first".to_owned()));
    }
    let sets = merge_rule_sets(reading.sets.clone());
    let own = Some(reading.definitions.clone()).filter(|own| !own.is_empty());
    let definitions =
        own.map(|own| DefinitionRegistry::new(definition_layers(vec![own])).in_force()).unwrap_or_default();
    let resources = resource_versions(file, reading)?;
    let request = Request {
        definitions: &definitions,
        resources: &resources,
        authored: &reading.rule_sets,
        ..Request::for_virtual_machines(&sets)
    };
    let (targets, left_out) = partition_targets(all_targets(), &request);
    let outputs = compile_targets(&targets, &request).map_err(|error| Refusal(error.message))?;
    let report = LossReport::new(&sets, &outputs, &LossPolicy::default()).without_unavailable(&left_out);
    Ok(json!({"report": report}).to_string())
}

/// The versions that definitions, RuleSets and policies are about, with the rules.
fn resource_versions(file: &SourceFile, reading: &FileReading) -> Result<Vec<ResourceVersion>, Refusal> {
    let mut versions = Vec::new();
    if reading.contents.has_definitions() {
        let refused = |_| Refusal("servers refuse the definition".to_owned());
        versions.extend(Definitions::read_definitions(file).map_err(refused)?.into_versions());
    }
    for set in &reading.rule_sets {
        let parameters = &set.parameters;
        if let Some(name) = parameters.first_without_value().filter(|_| !parameters.has_source()) {
            return Err(Refusal(format!("the parameter `{name}` of `{}` has no value", set.name)));
        }
    }
    versions.extend(reading.rule_sets.iter().flat_map(RuleSet::versions));
    if reading.contents.has_policies() {
        versions.extend(policy_versions(&read_policies(file), &RunResources::of_files(&[file])));
    }
    Ok(versions)
}
