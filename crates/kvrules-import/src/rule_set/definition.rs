//! The rules of definitions as RuleSets.

use std::collections::BTreeSet;

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::PlaceStep;
use kvrules_lift::{DefinitionRule, definition_rules};
use kvrules_rule_set::{RuleSeverity, RuleSubject};
use kvrules_syntax::pointer::escape_step;
use serde_json::{Value as Json, json};

use super::draft::RuleSetDraft;
use super::{ImportedRule, ImportedRuleSet, ProofBudget, find_losses, restate_rule};

/// Returns a RuleSet for each version of a definition that has rules. `schema_file` names the file with the definition.
///
/// ```
/// use kvrules_import::{ImportedForm, import_definition_rules};
/// use serde_json::json;
///
/// let rules = json!([{"rule": "has(self.low) == has(self.high)", "message": "give both or none"}]);
/// let spec = json!({"type": "object", "x-kubernetes-validations": rules,
///     "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}}});
/// let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": {"name": "ponds.example.com"},
///     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Pond", "plural": "ponds"},
///         "versions": [{"name": "v1", "served": true, "storage": true,
///             "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
/// let imported = import_definition_rules(&definition, Some("ponds.yaml"));
/// assert_eq!(imported[0].rules[0].form, ImportedForm::Words);
/// let rule = &imported[0].document["spec"]["rules"][0];
/// assert_eq!(rule["allOrNone"], json!(["spec.low", "spec.high"]));
/// ```
pub fn import_definition_rules(definition: &Json, schema_file: Option<&str>) -> Vec<ImportedRuleSet> {
    let versions: Vec<ResourceVersion> = ResourceVersion::of_definition(definition)
        .into_iter()
        .filter(|version| !definition_rules(&version.schema).is_empty())
        .collect();
    let is_only = versions.len() == 1;
    let imported = versions.iter().filter_map(|version| {
        let name = if is_only {
            version.definition.clone()
        } else {
            format!("{}-{}", version.definition, version.version)
        };
        version_rule_set(definition, version, &name, schema_file)
    });
    imported.collect()
}

/// Returns the RuleSet of one version of a definition; `None` if the definition does not have the version.
pub fn version_rule_set(
    definition: &Json,
    version: &ResourceVersion,
    name: &str,
    schema_file: Option<&str>,
) -> Option<ImportedRuleSet> {
    let api_version = version.api_version();
    let subject = RuleSubject::of_definitions([definition], &api_version, &version.kind).ok()?;
    let listed = definition.pointer("/spec/versions").and_then(Json::as_array)?;
    let index = listed.iter().position(|listed| listed.get("name") == Some(&json!(version.version)))?;
    let root = format!("/spec/versions/{index}/schema/openAPIV3Schema");
    let mut used = BTreeSet::new();
    let mut draft = RuleSetDraft::new(name, version, schema_file);
    let budget = ProofBudget::new();
    for rule in definition_rules(&version.schema) {
        let restated = restate_rule(&rule, &subject, false, &budget);
        for entry in restated.entries {
            let message = &rule.source.message;
            draft.add_entry(entry, None, &rule.place, message, RuleSeverity::Error, &mut used);
        }
        let pointer = rule_pointer(&root, &version.schema, &rule);
        let (source, lost) = (rule.name_by_place(), find_losses(&rule.source));
        let imported =
            ImportedRule { source, pointer, form: restated.form, lost, wider: None, entries: Vec::new() };
        draft.add_rule(imported, &rule.source.message);
    }
    Some(draft.finish())
}

/// The JSON pointer to a rule of a schema.
fn rule_pointer(root: &str, schema: &Json, rule: &DefinitionRule) -> String {
    let mut pointer = root.to_owned();
    let mut node = schema;
    for step in &rule.place {
        match step {
            PlaceStep::Field(name) => {
                pointer.push_str("/properties/");
                pointer.push_str(&escape_step(name));
                node = node.get("properties").and_then(|fields| fields.get(name)).unwrap_or(&Json::Null);
            }
            PlaceStep::Any => {
                let keyword = if node.get("items").is_some() { "items" } else { "additionalProperties" };
                pointer.push('/');
                pointer.push_str(keyword);
                node = node.get(keyword).unwrap_or(&Json::Null);
            }
        }
    }
    format!("{pointer}/x-kubernetes-validations/{}", rule.index)
}
