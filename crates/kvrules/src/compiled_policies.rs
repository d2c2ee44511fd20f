//! The RuleSets of a file as the policies that they compile to, which objects are evaluated with.

use std::fmt::Write as _;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::SourceFile;
use kvrules_emit::targets::{TargetOutput, compile_targets};
use kvrules_emit::{Artefact, EmitError, Request};
use kvrules_rule_set::RuleSet;
use kvrules_sources::FileReading;
use kvrules_sources::crd::{KubernetesVersion, KubernetesVersions};

use crate::all_targets;

/// Returns the text of the policies that the RuleSets of a file compile to, with the other documents of the file and with the
/// definitions of the subjects, which give the resource of a kind.
pub fn compile_policies(
    source: &SourceFile,
    reading: &FileReading,
    version: KubernetesVersion,
) -> Result<String, EmitError> {
    let versions: Vec<ResourceVersion> = reading.rule_sets.iter().flat_map(RuleSet::versions).collect();
    let request = Request {
        resources: &versions,
        authored: &reading.rule_sets,
        servers: KubernetesVersions::from_versions([version]).unwrap_or_default(),
        ..Request::for_virtual_machines(&[])
    };
    let targets: Vec<_> = all_targets()
        .iter()
        .copied()
        .filter(|target| target.rule_set_artefact() == Some(Artefact::Policies))
        .collect();
    let outputs = compile_targets(&targets, &request)?;
    // Other documents of the file count as well.
    let is_mixed = reading.contents.units.len() > reading.rule_sets.len();
    let mut whole = if is_mixed { format!("{}\n", source.text()) } else { String::new() };
    for file in outputs.iter().flat_map(TargetOutput::output_files) {
        let _ = write!(whole, "---\n{}\n", file.text);
    }
    let definitions = reading.rule_sets.iter().filter_map(|set| set.subject.definition.as_ref());
    for definition in definitions {
        let _ = write!(whole, "---\n{definition}\n");
    }
    Ok(whole)
}
