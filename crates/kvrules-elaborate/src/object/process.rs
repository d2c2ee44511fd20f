//! An object of a template, processed.

use kvrules_syntax::value::NotJsonError;
use kvrules_syntax::{Node, find_parameters};
use serde_json::{Map, Value, json};

use super::{ParameterValues, object_value};
use crate::template::{Template, TemplateKind};

/// Processes one object of a template as the template's engine does.
///
/// OpenShift's templateprocessing/template.go, Process; KubeVirt's virt-template-engine/template/processor.go, Process.
pub fn process_object(
    template: Template<'_>,
    object: Node<'_>,
    values: &ParameterValues,
) -> Result<Value, NotJsonError> {
    if let Some(fault) = values.template_error() {
        return Err(NotJsonError { span: object.span(), message: fault.to_owned() });
    }
    let mut made = object_value(object, values)?;
    if !has_parametrized_namespace(object)
        && let Some(metadata) = made.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.remove("namespace");
    }
    match template.kind() {
        TemplateKind::OpenShift => add_labels(template, values, &mut made)?,
        TemplateKind::KubeVirt => {
            // The engine overwrites these fields, whatever the template has.
            if let Some(fields) = made.as_object_mut() {
                fields.insert("apiVersion".to_owned(), json!("kubevirt.io/v1"));
                fields.insert("kind".to_owned(), json!("VirtualMachine"));
            }
        }
    }
    Ok(made)
}

/// True if the namespace has a `${NAME}`; `${{NAME}}` does not count. Any other namespace is taken out.
///
/// OpenShift's stripNamespace, KubeVirt's removeHardcodedNamespace.
fn has_parametrized_namespace(object: Node<'_>) -> bool {
    let namespace = object.get("metadata").and_then(|metadata| metadata.get("namespace"));
    namespace.is_some_and(|node| find_parameters(node.text()).any(|parameter| !parameter.unquoted))
}

/// The labels that a template of OpenShift gives all its objects; they win over those of the object.
///
/// OpenShift's addObjectLabels.
fn add_labels(
    template: Template<'_>,
    values: &ParameterValues,
    made: &mut Value,
) -> Result<(), NotJsonError> {
    let Some(labels) = template.node().get("labels").filter(|labels| labels.is_map()) else { return Ok(()) };
    let Value::Object(added) = object_value(labels, values)? else { return Ok(()) };
    let Some(fields) = made.as_object_mut() else { return Ok(()) };
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return Ok(()) };
    let own = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
    if !own.is_object() {
        *own = Value::Object(Map::new());
    }
    if let Some(own) = own.as_object_mut() {
        own.extend(added);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
