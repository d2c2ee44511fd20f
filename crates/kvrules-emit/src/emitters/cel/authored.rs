//! RuleSets as lists of rules, each with the place in the schema that it belongs to.

use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::definition_rules;
use serde_json::{Value, json};

use crate::authored_rules::{definition_cause, rule_fidelity};
use crate::cel::to_comment;
use crate::fitted_rules::FittedRules;
use crate::{Emission, EmitError, OutputFile, Request, yaml};

/// One file for each RuleSet: the paths of its subject's schema with the rules there.
pub(super) fn emit_authored(request: &Request<'_>) -> Result<Emission, EmitError> {
    let mut emission = Emission::default();
    for version in request.resources {
        if let Some(cause) = definition_cause(version) {
            emission.fidelity.extend(rule_fidelity(version, &|_| Some(cause.to_owned())));
            continue;
        }
        let fitted = FittedRules::of_version(version, request.servers);
        let mut places: Vec<(String, Vec<Value>)> = Vec::new();
        for rule in definition_rules(&version.schema) {
            let Some(entry) = fitted.entry_of(version, &rule) else { continue };
            let path = kvrules_generate::place_text(&rule.place);
            match places.iter_mut().find(|(known, _)| *known == path) {
                Some((_, entries)) => entries.push(entry),
                None => places.push((path, vec![entry])),
            }
        }
        let title = format!("rules of the RuleSet {}, for {}", version.file_stem(), version.objects_name());
        let listed: Vec<Value> =
            places.into_iter().map(|(path, entries)| json!({"path": path, VALIDATIONS: entries})).collect();
        emission.fidelity.extend(rule_fidelity(version, &|rule| fitted.losses.get(rule).cloned()));
        if !listed.is_empty() {
            let text = to_comment(&title) + &fitted.comments(version) + &yaml::to_yaml(&Value::from(listed))?;
            emission.files.push(OutputFile { path: format!("{}.yaml", version.file_stem()), text });
        }
        emission.restated.extend(fitted.restated);
    }
    Ok(emission)
}
