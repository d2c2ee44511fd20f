//! Which requests a policy judges.

use kvrules_ir::ElaboratedSet;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::Request;
use crate::cel::{Expr, Operator, yaml_text};

/// What a virtual machine names its template with.
const TEMPLATE: &str = "vm.kubevirt.io/template";

/// The kind of object, when it is written. A request in another version of the API is converted by the server.
pub(super) fn constraints(request: &Request<'_>, resource: &str) -> Value {
    let subject = request.subject;
    let chosen = Some(resource.to_owned()).filter(|resource| !resource.is_empty());
    let resource = chosen.or_else(|| declared(request)).unwrap_or_else(|| plural(subject.noun()));
    json!({
        "resourceRules": [{
            "apiGroups": [subject.group.as_deref().unwrap_or_default()],
            "apiVersions": [subject.version.as_deref().unwrap_or("*")],
            "operations": ["CREATE", "UPDATE"],
            "resources": [resource],
        }],
    })
}

/// The machine was made from one of the templates that have the rules. Objects of other kinds are not made from any.
pub(super) fn condition(request: &Request<'_>, place: &str, set: &ElaboratedSet) -> Option<Value> {
    let field = match place {
        "annotation" => "annotations",
        "none" => return None,
        _ => "labels",
    };
    let mut templates: Vec<&str> = Vec::new();
    for user in &set.used_by {
        if !templates.contains(&user.name.as_str()) {
            templates.push(&user.name);
        }
    }
    if !request.subject.is_virtual_machine() || templates.is_empty() {
        return None;
    }
    let name = if templates.len() == 1 { "made-from-this-template" } else { "made-from-these-templates" };
    let metadata = Expr::name("object").select("metadata");
    let map = metadata.clone().select(field);
    let expression = Expr::and([
        Expr::Has(Box::new(metadata), field.to_owned()),
        Expr::text(TEMPLATE).binary(Operator::In, map.clone()),
        map.index(Expr::text(TEMPLATE)).one_of(templates.into_iter().map(Expr::text).collect()),
    ]);
    Some(json!({ "name": name, "expression": yaml_text(&expression) }))
}

/// The plural in the CustomResourceDefinition that was given.
fn declared(request: &Request<'_>) -> Option<String> {
    let documents = serde_yaml::Deserializer::from_str(request.schema?.text());
    let documents = documents.filter_map(|document| Value::deserialize(document).ok());
    let kind = request.subject.kind.as_deref();
    let definitions = documents.flat_map(|document| match document.get("items") {
        Some(Value::Array(items)) => items.clone(),
        _ => vec![document],
    });
    definitions
        .filter_map(|definition| definition.pointer("/spec/names").cloned())
        .find(|names| names.get("kind").and_then(Value::as_str) == kind)
        .and_then(|names| names.get("plural").and_then(Value::as_str).map(str::to_owned))
}

/// The plural that most kinds have.
fn plural(kind: &str) -> String {
    let singular = kind.to_ascii_lowercase();
    if let Some(stem) = singular.strip_suffix('y') {
        format!("{stem}ies")
    } else if singular.ends_with(['s', 'x']) || singular.ends_with("ch") {
        format!("{singular}es")
    } else {
        format!("{singular}s")
    }
}
