//! Requests that a policy evaluates.

use kvrules_ir::ElaboratedSet;
use serde_json::{Value, json};

use crate::Request;
use crate::cel::{Expr, Operator, yaml_text};
use crate::policy::PolicyResource;

/// Label of a virtual machine that names its template.
const TEMPLATE: &str = "vm.kubevirt.io/template";

/// Requests that write these resources of an API. A request in another version of it is converted by the server.
pub(super) fn match_constraints(resource: &PolicyResource, resources: &[String]) -> Value {
    json!({
        "matchPolicy": "Equivalent",
        "resourceRules": [{
            "apiGroups": [resource.group],
            "apiVersions": [resource.version],
            "operations": ["CREATE", "UPDATE"],
            "resources": resources,
        }],
    })
}

/// The machine was made from one of the templates that have the rules. Objects of other kinds are not made from any.
pub(super) fn match_condition(request: &Request<'_>, place: &str, set: &ElaboratedSet) -> Option<Value> {
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
    let metadata = Expr::name("object").select_field("metadata");
    let map = metadata.clone().select_field(field);
    let expression = Expr::all_of([
        Expr::Has(Box::new(metadata), field.to_owned()),
        Expr::from_text(TEMPLATE).apply_operator(Operator::In, map.clone()),
        map.index_by(Expr::from_text(TEMPLATE)).one_of(templates.into_iter().map(Expr::from_text).collect()),
    ]);
    Some(json!({ "name": name, "expression": yaml_text(&expression) }))
}
