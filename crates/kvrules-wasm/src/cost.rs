//! Costs of the rules of a source by Kubernetes version, and the oldest version that takes each resource.

use kvrules::crd::{
    DefinitionMatrix, EXPRESSION_LIMIT, KubernetesVersion, KubernetesVersions, RuleShares, VersionMatrix,
    cost_matrix, find_oldest_versions, rule_set_matrix,
};
use kvrules::{FileId, SourceFile, compile_policies};
use serde_json::{Value, json};

use crate::check::CheckedSource;
use crate::messages::{Refusal, Source};

/// The costs on every known version.
pub(crate) fn estimate_source(source: &Source) -> Result<String, Refusal> {
    let read = CheckedSource::read(source)?;
    let (reading, file) =
        (&read.checked.reading, read.file().ok_or_else(|| Refusal("no source".to_owned()))?);
    let versions = KubernetesVersions::all_known();
    let mut definitions = cost_matrix(file, versions);
    let priced = reading.rule_sets.iter().filter(|set| !set.subject.is_of_documents());
    definitions.extend(priced.clone().map(|set| rule_set_matrix(set, versions)));
    // For a RuleSet the policies that it compiles to are examined.
    let oldest = if priced.count() == 0 {
        find_oldest_versions(file)
    } else {
        let text = compile_policies(file, reading, KubernetesVersion::NEWEST)
            .map_err(|error| Refusal(error.message))?;
        find_oldest_versions(&SourceFile::new(FileId(0), source.name.as_str(), text))
    };
    let oldest = oldest.iter().map(|found| {
        json!({
            "name": found.name,
            "kubernetes": found.oldest.map(|version| version.to_string()),
            "reasons": found.reasons.iter().map(|reason| &reason.message).collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "kubernetes": versions.iter().map(|version| version.to_string()).collect::<Vec<_>>(),
        "limit": EXPRESSION_LIMIT,
        "definitions": definitions.iter().flat_map(|it| definition_costs(file, it)).collect::<Vec<_>>(),
        "oldest": oldest.collect::<Vec<_>>(),
    })
    .to_string())
}

fn definition_costs(file: &SourceFile, definition: &DefinitionMatrix) -> Vec<Value> {
    let of_version = |version: &VersionMatrix| {
        json!({
            "name": definition.name,
            "version": version.name,
            "limited": version.is_limited,
            "rules": version.rules.iter().map(|rule| rule_costs(file, rule)).collect::<Vec<_>>(),
        })
    };
    definition.versions.iter().map(of_version).collect()
}

fn rule_costs(file: &SourceFile, rule: &RuleShares) -> Value {
    json!({
        "name": rule.name,
        "place": rule.path,
        "line": file.position_at(rule.span.start).line,
        "expression": rule.text,
        "costs": rule.estimates.iter().map(|(_, cost)| cost).collect::<Vec<_>>(),
        "over": rule.is_over(),
    })
}
