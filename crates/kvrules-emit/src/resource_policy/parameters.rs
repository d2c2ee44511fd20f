//! Rules with parameters, which a policy reads from an object of the cluster.

use kvrules_apiserver::definition::{PolicyParameters, ResourceVersion};
use kvrules_generate::schema_at_place_mut;
use kvrules_lift::definition_rules;
use kvrules_schema_keywords::VALIDATIONS;
use serde_json::Value;

/// Returns the version with symbols in place of parameters; `None` if it has no parameters.
pub(super) fn symbolic_version(version: &ResourceVersion) -> Option<ResourceVersion> {
    let parameters = version.authored.as_ref()?.parameters.as_ref()?;
    let mut schema = version.schema.clone();
    for rule in definition_rules(&version.schema) {
        let Some(entry) = parameters.entries.get(&rule.name_by_place()) else { continue };
        let node = schema_at_place_mut(&mut schema, &rule.place);
        let entries = node.and_then(|node| node.get_mut(VALIDATIONS)?.as_array_mut());
        if let Some(known) = entries.and_then(|entries| entries.get_mut(rule.index)) {
            *known = entry.clone();
        }
    }
    Some(ResourceVersion { schema, ..version.clone() })
}

/// Writes parameters in place of symbols into a validation.
///
/// # Errors
///
/// A symbol is left, or the result does not parse.
pub(super) fn write_parameters(validation: &mut Value, parameters: &PolicyParameters) -> Result<(), String> {
    let Some(fields) = validation.as_object_mut() else { return Ok(()) };
    for (name, value) in fields.iter_mut() {
        let Some(text) = value.as_str() else { continue };
        let written = match name.as_str() {
            "expression" => parameters.write_expression(text),
            _ => parameters.write_message(text),
        };
        let is_expression = name == "expression";
        if parameters.is_left_in(&written) || (is_expression && kvrules_cel::parse(&written).is_err()) {
            return Err("the policy cannot read a parameter in this expression".to_owned());
        }
        *value = written.into();
    }
    Ok(())
}
