//! Rules of RuleSets in the schema of their subject: which of them servers take there.

use std::collections::BTreeMap;

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};
use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::needs::{missing_text, rule_needs};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::{schema_at_place, schema_at_place_mut};
use kvrules_lift::{DefinitionRule, definition_rules};
use serde_json::Value;

use crate::resource_schema::set_name;
use crate::{Fidelity, RuleFidelity};

/// The cause for kinds that have no definition.
pub(crate) const CUSTOM_ONLY: &str =
    "Kubernetes itself serves the kind, which has no definition; use the target `admission-policy`";

/// Returns the rules of a version that a server of a request does not take, each with the cause.
pub(crate) fn find_losses(
    version: &ResourceVersion,
    servers: KubernetesVersions,
) -> BTreeMap<String, String> {
    let mut losses = BTreeMap::new();
    for rule in definition_rules(&version.schema) {
        if let Some(cause) = find_loss(version, &rule, servers) {
            losses.insert(rule.name_by_place(), cause);
        }
    }
    losses
}

fn find_loss(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    servers: KubernetesVersions,
) -> Option<String> {
    let entry = entry_for(&version.schema, rule, servers);
    if let Some(cause) = missing_text(&rule_needs(&entry), servers.oldest()) {
        return Some(cause);
    }
    let site = RuleSite::new(&version.schema, &kvrules_rule_set::server_path(&version.schema, &rule.place))
        .map(|site| site.on_servers(servers));
    match site.and_then(|site| site.rule_cost(&rule.source.rule)) {
        Ok(cost) if cost.total > EXPRESSION_LIMIT => {
            let limit = format!("the estimated cost of the rule is {}, more than the limit of", cost.total);
            Some(format!("{limit} {EXPRESSION_LIMIT}; `maxItems` and `maxLength` in the schema lower it"))
        }
        Ok(_) => None,
        Err(error) => Some(format!(
            "the server rejects the rule: {}",
            error.to_string().lines().next().unwrap_or_default()
        )),
    }
}

/// Returns the entry of `x-kubernetes-validations` that a rule of a schema is.
pub fn entry_at(schema: &Value, rule: &DefinitionRule) -> Value {
    let node = schema_at_place(schema, &rule.place);
    let entry = node.and_then(|node| node.get("x-kubernetes-validations")?.get(rule.index));
    entry.cloned().unwrap_or_default()
}

/// Returns the entry of a rule for servers: without fields about its message that the oldest does not have.
pub fn entry_for(schema: &Value, rule: &DefinitionRule, servers: KubernetesVersions) -> Value {
    let mut entry = entry_at(schema, rule);
    let needs = rule_needs(&entry);
    let Some(fields) = entry.as_object_mut() else { return entry };
    for name in ["messageExpression", "reason", "fieldPath"] {
        let of_field: Vec<_> = needs.iter().filter(|need| need.field == name).cloned().collect();
        if missing_text(&of_field, servers.oldest()).is_some() {
            fields.shift_remove(name);
        }
    }
    entry
}

/// The fidelity to each rule of a version: exact without a cause.
pub(crate) fn rule_fidelity(
    version: &ResourceVersion,
    cause: &dyn Fn(&str) -> Option<String>,
) -> Vec<RuleFidelity> {
    let set = set_name(version);
    let entry = |rule: DefinitionRule| {
        let name = rule.name_by_place();
        let fidelity = cause(&name).map_or(Fidelity::Exact, Fidelity::Unsupported);
        RuleFidelity { set: set.clone(), rule: name, fidelity }
    };
    definition_rules(&version.schema).into_iter().map(entry).collect()
}

/// Removes rules from the definition of a version, and writes the others for servers.
pub(crate) fn adapt_rules(
    definition: &mut Value,
    version: &ResourceVersion,
    removed: &BTreeMap<String, String>,
    servers: KubernetesVersions,
) {
    let versions = definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
    for listed in versions.into_iter().flatten() {
        if listed.get("name").and_then(Value::as_str) != Some(&version.version) {
            continue;
        }
        let Some(schema) = listed.pointer_mut("/schema/openAPIV3Schema") else { continue };
        for rule in definition_rules(&version.schema) {
            let entry = entry_at(&version.schema, &rule);
            let node = schema_at_place_mut(schema, &rule.place);
            let entries = node.and_then(|node| node.get_mut("x-kubernetes-validations")?.as_array_mut());
            let Some(entries) = entries else { continue };
            if removed.contains_key(&rule.name_by_place()) {
                entries.retain(|known| *known != entry);
            } else if let Some(known) = entries.iter_mut().rev().find(|known| **known == entry) {
                *known = entry_for(&version.schema, &rule, servers);
            }
        }
    }
}
