//! RuleSets about custom resources: their definition with the rules added to its own.

use kvrules_apiserver::definition::ResourceVersion;

use crate::authored_rules::{CUSTOM_ONLY, find_losses, rule_fidelity};
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
        let losses = find_losses(version, request.servers);
        crate::authored_rules::adapt_rules(&mut definition, version, &losses, request.servers);
        emission.fidelity.extend(rule_fidelity(version, &|rule| losses.get(rule).cloned()));
        emission.files.push(OutputFile { path: format!("{name}.yaml"), text: yaml::to_yaml(&definition)? });
    }
    Ok(emission)
}

fn merged(version: &ResourceVersion) -> Option<(&str, serde_json::Value)> {
    let authored = version.authored.as_ref().filter(|_| version.policy_only_cause().is_none())?;
    Some((&authored.name, authored.definition.clone()?))
}
