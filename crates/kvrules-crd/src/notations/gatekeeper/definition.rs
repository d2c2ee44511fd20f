//! The definition that Gatekeeper makes of a template.

use kvrules_kubernetes::keywords::PRESERVE_UNKNOWN_FIELDS;
use kvrules_syntax::Node;
use kvrules_syntax::value::ValueReader;
use serde_json::{Map, Value, json};

use super::super::parts::{node_at, text_at};
use super::constraint::GROUP;
use super::{constraint_kind, is_set};

/// Versions of constraints.
// frameworks constraint/pkg/client/crds/crds.go, CreateCRD
const VERSIONS: [&str; 2] = ["v1beta1", "v1alpha1"];

/// Returns the definition of the constraints of a template.
// frameworks constraint/pkg/client/crds/schema.go, CreateSchema; gatekeeper pkg/target/matchcrd_constant.go and pkg/mutation/match
pub(super) fn constraint_definition(template: Node<'_>) -> Value {
    let kind = constraint_kind(template);
    let plural = kind.to_lowercase();
    let mut spec = json!({"match": match_schema(), "enforcementAction": {"type": "string"},
        "scopedEnforcementActions": {"type": "array", "items": {"type": "object", PRESERVE_UNKNOWN_FIELDS: true}}});
    if let (Some(parameters), Some(fields)) = (parameters_schema(template), spec.as_object_mut()) {
        fields.insert("parameters".to_owned(), parameters);
    }
    let schema = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}},
        "spec": {"type": "object", "properties": spec},
        "status": {PRESERVE_UNKNOWN_FIELDS: true},
    }});
    let versions = VERSIONS.map(|version| {
        json!({"name": version, "served": true, "storage": version == "v1beta1",
            "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}})
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": plural},
            "versions": versions,
        },
    })
}

/// The schema of the parameters. A legacy schema lets objects have fields that it does not declare; the versions before v1 are
/// legacy by default.
// frameworks constraint/pkg/apis/templates/v1beta1/constrainttemplate_types.go and v1/constrainttemplate_types.go, Validation
fn parameters_schema(template: Node<'_>) -> Option<Value> {
    let validation = node_at(template, &["spec", "crd", "spec", "validation"])?;
    let schema = validation.get("openAPIV3Schema").filter(|it| is_set(*it));
    let is_newest = text_at(template, &["apiVersion"]).ends_with("/v1");
    let legacy = match validation.get("legacySchema").map(Node::text) {
        Some("true") => true,
        Some("false") => false,
        _ => !is_newest,
    };
    let Some(schema) = schema else {
        return legacy.then(|| json!({"type": "object", PRESERVE_UNKNOWN_FIELDS: true}));
    };
    let reader = ValueReader::for_kubernetes().with_lenient_reading();
    let mut schema = reader.read_value(schema).ok().filter(Value::is_object)?;
    if legacy {
        open_objects(&mut schema);
    }
    Some(schema)
}

fn open_objects(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    let is_scalar = |fields: &Map<String, Value>| {
        fields
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|ty| matches!(ty, "string" | "integer" | "number" | "boolean" | "array"))
    };
    if !is_scalar(fields) {
        fields.insert(PRESERVE_UNKNOWN_FIELDS.to_owned(), true.into());
    }
    for keyword in ["items", "additionalProperties"] {
        fields.get_mut(keyword).into_iter().for_each(open_objects);
    }
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(|it| it.values_mut()).for_each(open_objects);
}

fn match_schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let pattern = r"^(\*|\*-)?[a-z0-9]([-:a-z0-9]*[a-z0-9])?(\*|-\*)?$";
    let names = json!({"type": "array", "items": {"type": "string", "pattern": pattern}});
    let selector = json!({"type": "object", "properties": {
        "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
        "matchExpressions": {"type": "array", "items": {"type": "object", "required": ["key", "operator"], "properties": {
            "key": {"type": "string"}, "operator": {"type": "string"}, "values": texts,
        }}},
    }});
    json!({"type": "object", PRESERVE_UNKNOWN_FIELDS: true, "properties": {
        "kinds": {"type": "array", "items": {"type": "object", "properties": {"apiGroups": texts, "kinds": texts}}},
        "scope": {"type": "string"},
        "source": {"type": "string", "enum": ["All", "Generated", "Original"]},
        "name": {"type": "string", "pattern": pattern},
        "namespaces": names, "excludedNamespaces": names,
        "labelSelector": selector, "namespaceSelector": selector,
    }})
}
