//! Definitions with the rules that servers take: those of RuleSets added to the definition of their subject, and those of definitions
//! for the servers of several Kubernetes versions.

use kvrules_apiserver::definition::{ResourceVersion, added_error};
use kvrules_cel::kubernetes::KubernetesVersions;
use serde_json::Value;

use crate::authored_rules::{definition_cause, rule_fidelity};
use crate::cel::to_comment;
use crate::fitted_rules::FittedRules;
use crate::{Emission, EmitError, OutputFile, Request, yaml};

/// One file for each RuleSet: the definition of its subject.
pub(super) fn emit_authored(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for version in request.resources {
        let Some((name, mut definition)) = merged(version) else {
            let cause = definition_cause(version).unwrap_or_default();
            emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.to_owned())));
            continue;
        };
        let mut fitted = Emission::default();
        let head = fit_definition(&mut definition, version, request, &mut fitted);
        let own = match fit_own_rules(&mut definition, request.servers) {
            Ok(comments) => comments,
            Err(cause) => {
                emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.clone())));
                continue;
            }
        };
        if let Some(error) = added_error(&definition, &version.document, request.servers) {
            let cause = format!("servers reject the definition with it: `{}`: {}", error.field, error.detail);
            emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.clone())));
            continue;
        }
        let text = head + &own + &yaml::to_yaml(&definition)?;
        emission.files.push(OutputFile { path: format!("{name}.yaml"), text });
        emission.fidelity.extend(fitted.fidelity);
        emission.restated.extend(fitted.restated);
    }
    Ok(emission)
}

/// Fits the rules that the definition itself has; those of the RuleSet are fitted already. Returns comments on those that are restated.
///
/// # Errors
///
/// The reason why a server would reject the definition for one of them.
fn fit_own_rules(definition: &mut Value, servers: KubernetesVersions) -> Result<String, String> {
    let mut comments = String::new();
    for own in ResourceVersion::of_definition(definition) {
        let fitted = FittedRules::of_version(&own, servers);
        if let Some((rule, cause)) = fitted.losses.first_key_value() {
            return Err(format!("the definition itself has a rule that servers reject, `{rule}`: {cause}"));
        }
        comments.push_str(&fitted.comments(&own));
        fitted.apply_to(definition, &own);
    }
    Ok(comments)
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
