//! Definitions with the rules that servers take: those of RuleSets added to the definition of their subject, and those of definitions
//! for the servers of several Kubernetes versions.

use kvrules_apiserver::definition::ResourceVersion;
use serde_json::Value;

use crate::authored_rules::{CUSTOM_ONLY, rule_fidelity};
use crate::cel::to_comment;
use crate::fitted_rules::FittedRules;
use crate::{Emission, EmitError, OutputFile, Request, yaml};

/// One file for each RuleSet: the definition of its subject.
pub(super) fn emit_authored(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for version in request.resources {
        let Some((name, mut definition)) = merged(version) else {
            let cause = version.policy_only_cause().unwrap_or(CUSTOM_ONLY);
            emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.to_owned())));
            continue;
        };
        let head = fit_definition(&mut definition, version, request, &mut emission);
        let text = head + &yaml::to_yaml(&definition)?;
        emission.files.push(OutputFile { path: format!("{name}.yaml"), text });
    }
    Ok(emission)
}

fn merged(version: &ResourceVersion) -> Option<(&str, Value)> {
    let authored = version.authored.as_ref().filter(|_| version.policy_only_cause().is_none())?;
    Some((&authored.name, authored.definition.clone()?))
}

/// One file for each definition, with the rules of its versions as all servers take them.
pub(super) fn emit_resources(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    let mut rest = request.resources;
    while let Some((first, _)) = rest.split_first() {
        let count = rest.iter().take_while(|version| version.document == first.document).count();
        let (versions, after) = rest.split_at(count);
        rest = after;
        let mut definition = (*first.document).clone();
        let mut head = to_comment(&format!("{}, for Kubernetes {}", first.definition, request.servers));
        for version in versions {
            head.push_str(&fit_definition(&mut definition, version, request, &mut emission));
        }
        let path = format!("{}.yaml", first.definition);
        emission.files.push(OutputFile { path, text: head + &yaml::to_yaml(&definition)? });
    }
    Ok(emission)
}

/// Writes the rules of a version into its definition as servers take them; returns comments on those that are left out or restated.
fn fit_definition(
    definition: &mut Value,
    version: &ResourceVersion,
    request: &Request<'_>,
    emission: &mut Emission,
) -> String {
    let fitted = FittedRules::of_version(version, request.servers);
    fitted.apply_to(definition, version);
    let comments = fitted.comments(version);
    emission.fidelity.extend(rule_fidelity(version, &|rule| fitted.losses.get(rule).cloned()));
    emission.restated.extend(fitted.restated);
    comments
}
