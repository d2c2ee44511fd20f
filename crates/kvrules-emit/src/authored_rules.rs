//! Rules in the schema of a version: their entries, and the fidelity to each.

use kvrules_apiserver::definition::{AuthoredObjects, ResourceVersion};
use kvrules_apiserver::needs::{missing_text, rule_needs};
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_generate::schema_at_place;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_kubernetes::types::is_kubernetes_group;
use kvrules_lift::{DefinitionRule, definition_rules};
use serde_json::Value;

use crate::resource_schema::set_name;
use crate::{Fidelity, RuleFidelity};

/// Returns the cause for which rules that are written elsewhere cannot be in a definition; `None` if they can.
pub(crate) fn definition_cause(version: &ResourceVersion) -> Option<&'static str> {
    let is_custom = version.authored.as_ref().is_some_and(|authored| authored.definition.is_some());
    let cause = match version.authored_objects() {
        AuthoredObjects::Documents => {
            "the subject is a JSON Schema, whose documents have no definition; use `json-schema` or `openapi`"
        }
        AuthoredObjects::OfAnyKind => {
            "objects of any kind have no definition; use the target `admission-policy`"
        }
        // Rules that reject nothing, or that a server selects, have their own cause.
        AuthoredObjects::OfVersion if is_custom || version.policy_only_cause().is_some() => {
            return version.policy_only_cause();
        }
        AuthoredObjects::OfVersion if !is_kubernetes_group(&version.group) => {
            "the definition of the kind is not given; name its file as `schema` of the subject"
        }
        AuthoredObjects::OfVersion => {
            "Kubernetes itself serves the kind, which has no definition; use the target `admission-policy`"
        }
    };
    Some(cause)
}

/// Returns the entry of `x-kubernetes-validations` that a rule of a schema is.
pub fn entry_at(schema: &Value, rule: &DefinitionRule) -> Value {
    let node = schema_at_place(schema, &rule.place);
    let entry = node.and_then(|node| node.get(VALIDATIONS)?.get(rule.index));
    entry.cloned().unwrap_or_default()
}

/// Returns the entry of a rule for servers. That of a RuleSet is without fields about its message that the oldest does not have;
/// the fields that the author of a definition wrote stay, because older servers ignore them and newer ones use them.
pub fn entry_for(version: &ResourceVersion, rule: &DefinitionRule, servers: KubernetesVersions) -> Value {
    let mut entry = entry_at(&version.schema, rule);
    if version.authored.is_none() {
        return entry;
    }
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
