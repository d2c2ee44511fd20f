//! Objects as they are when policies are evaluated. A server fills in many fields of built-in kinds before and validates them: the schemas
//! of stored objects say which fields are there; integers, texts and the sizes of lists are treated here.

use kvrules_ir::Term;
use kvrules_kubernetes::types::find_resources;
use kvrules_lift::PolicySubject;
use serde_json::{Map, Value, json};

/// The object itself, which no field contains.
const ROOT: &str = "";

/// Integers of built-in kinds that are never zero or less.
// pkg/apis/core/validation/validation.go, pkg/apis/autoscaling/validation/validation.go, pkg/apis/networking/validation/validation.go
const POSITIVE: &[&str] = &[
    "activeDeadlineSeconds",
    "averageUtilization",
    "containerPort",
    "endPort",
    "failureThreshold",
    "hostPort",
    "maxReplicas",
    "minReplicas",
    "nodePort",
    "number",
    "periodSeconds",
    "port",
    "successThreshold",
    "timeoutSeconds",
    "weight",
];

/// Texts of built-in kinds that a server takes as they are; others it reads itself.
const FREE_TEXTS: &[&str] = &["args", "command", "image", "value"];

/// The label that every namespace has.
// pkg/apis/core/v1/defaults.go, SetDefaults_Namespace
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// True if an object may lack a field below a term when policies are evaluated.
pub(super) fn may_be_absent(of: &Term, name: &str, subject: &PolicySubject) -> bool {
    // Parameters are written for the policy; the facts of a request are the server's.
    if !is_of_object(of) {
        return is_namespace_map(of) && name != NAMESPACE_NAME;
    }
    if is_map(of, subject) {
        return true;
    }
    // The schema of a definition has all defaults, which the objects that are tried have too.
    if !is_built_in(subject) && !is_metadata(of) {
        return true;
    }
    let Some(node) = node_of(of, subject) else { return false };
    let is_declared = node.get("properties").is_some_and(|properties| properties.get(name).is_some());
    let mut required = node.get("required").and_then(Value::as_array).into_iter().flatten();
    is_declared && !required.any(|field| field == name)
}

/// True for the `metadata` of an object.
fn is_metadata(term: &Term) -> bool {
    matches!(term, Term::Field(of, name) if name == "metadata" && matches!(**of, Term::Root(_)))
}

/// True for the labels and annotations of the namespace, which its owner writes.
fn is_namespace_map(term: &Term) -> bool {
    let Term::Field(of, name) = term else { return false };
    let Term::Field(of, metadata) = &**of else { return false };
    matches!(name.as_str(), "labels" | "annotations")
        && metadata == "metadata"
        && matches!(&**of, Term::Root(root) if root == "namespaceObject")
}

/// True if a text is one that the server does not read itself.
pub(super) fn is_free_text(term: &Term, subject: &PolicySubject) -> bool {
    let Some((of, name)) = text_place(term) else { return false };
    if !is_of_object(of) {
        return false;
    }
    let is_map_value = is_map(of, subject) && node_of(of, subject).is_some_and(has_free_values);
    is_map_value || !is_built_in(subject) || FREE_TEXTS.contains(&name)
}

fn has_free_values(map: &Value) -> bool {
    map.get("additionalProperties")
        .is_some_and(|values| values.get("pattern").is_none() && values.get("format").is_none())
}

/// The field that a text is in or is taken from, and what that is a field of.
fn text_place(term: &Term) -> Option<(&Term, &str)> {
    match term {
        Term::Field(of, name) => Some((of, name)),
        Term::Index(of, _) => text_place(of),
        Term::Call(call) => text_place(call.arguments.first()?),
        _ => None,
    }
}

/// Returns a kind whose objects have what a server stores, by the schema of stored objects, and whose parameters have all fields.
pub(super) fn as_stored(subject: &PolicySubject) -> PolicySubject {
    let mut object = subject.object.clone();
    if is_built_in(subject) {
        object = complete_node(&object, ROOT);
    } else if let Some(metadata) = object.pointer_mut("/properties/metadata") {
        *metadata = complete_node(metadata, "metadata");
    }
    PolicySubject { object, params: subject.params.as_ref().map(require_all), ..subject.clone() }
}

/// The schema of the value of a field. An empty list or map is left out when the server stores it.
fn complete_node(node: &Value, field: &str) -> Value {
    let Value::Object(keywords) = node else { return node.clone() };
    let mut completed = Map::new();
    for (keyword, value) in keywords {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, below)| (name.clone(), complete_node(below, name))).collect()
            }
            ("items" | "additionalProperties", below) => complete_node(below, field),
            _ => value.clone(),
        };
        completed.insert(keyword.clone(), value);
    }
    match keywords.get("type").and_then(Value::as_str) {
        Some("array") => completed.insert("minItems".to_owned(), json!(1)),
        Some("object") if is_map_node(node) => completed.insert("minProperties".to_owned(), json!(1)),
        Some("integer") if POSITIVE.contains(&field) => completed.insert("minimum".to_owned(), json!(1)),
        _ => None,
    };
    Value::Object(completed)
}

/// The schema with all of its fields required.
fn require_all(node: &Value) -> Value {
    let Value::Object(keywords) = node else { return node.clone() };
    let complete = |(keyword, value): (&String, &Value)| {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, below)| (name.clone(), require_all(below))).collect()
            }
            ("items" | "additionalProperties", below) => require_all(below),
            _ => value.clone(),
        };
        (keyword.clone(), value)
    };
    let mut completed: Map<String, Value> = keywords.iter().map(complete).collect();
    if let Some(properties) = keywords.get("properties").and_then(Value::as_object) {
        let required: Vec<&String> = properties.keys().collect();
        completed.insert("required".to_owned(), json!(required));
    }
    Value::Object(completed)
}

pub(super) fn is_built_in(subject: &PolicySubject) -> bool {
    find_resources(&subject.group).any(|it| it.kind == subject.kind && it.version == subject.version)
}

/// True for parts of the object or the old object.
fn is_of_object(term: &Term) -> bool {
    match term {
        Term::Root(name) => matches!(name.as_str(), "object" | "oldObject"),
        Term::Field(of, _) | Term::Index(of, _) => is_of_object(of),
        _ => false,
    }
}

/// True for values that are computed from parts of the object or the old object alone.
pub(super) fn depends_on_object(term: &Term) -> bool {
    match term {
        Term::Call(call) => {
            let mut inputs = call.arguments.iter().filter(|it| !matches!(it, Term::Constant(_))).peekable();
            inputs.peek().is_some() && inputs.all(depends_on_object)
        }
        Term::Field(of, _) | Term::Index(of, _) => depends_on_object(of),
        other => is_of_object(other),
    }
}

/// True if a term is a map with any keys.
fn is_map(term: &Term, subject: &PolicySubject) -> bool {
    node_of(term, subject).is_some_and(is_map_node)
}

fn is_map_node(node: &Value) -> bool {
    node.get("additionalProperties").is_some_and(Value::is_object) && node.get("properties").is_none()
}

fn node_of<'s>(term: &Term, subject: &'s PolicySubject) -> Option<&'s Value> {
    match term {
        Term::Root(name) => matches!(name.as_str(), "object" | "oldObject").then_some(&subject.object),
        Term::Field(of, name) => {
            let node = node_of(of, subject)?;
            node.get("properties").and_then(|it| it.get(name)).or_else(|| node.get("additionalProperties"))
        }
        Term::Index(of, _) => {
            let node = node_of(of, subject)?;
            node.get("items").or_else(|| node.get("additionalProperties"))
        }
        _ => None,
    }
}

/// A path as expressions write it.
pub(super) fn path_text(term: &Term) -> String {
    let is_word = |name: &str| {
        name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
            && !name.starts_with(|char: char| char.is_ascii_digit())
    };
    match term {
        Term::Root(name) => name.clone(),
        Term::Field(of, name) if is_word(name) => format!("{}.{name}", path_text(of)),
        Term::Field(of, name) => format!("{}['{name}']", path_text(of)),
        Term::Index(of, _) => format!("{}[]", path_text(of)),
        _ => "item".to_owned(),
    }
}
