//! Fields that are lost between served versions: without a webhook a server changes `apiVersion` alone, and prunes what the stored version
//! does not have.
// apiextensions pkg/apiserver/conversion/nop_converter.go; customresource_handler.go, schemaCoercingConverter

use kvrules_apiserver::definition::keyword_value;
use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use kvrules_syntax::Node;
use serde_json::Value;

use crate::lints;

/// The schema of a version.
const SCHEMA: &str = "/schema/openAPIV3Schema";

/// The most fields that a finding names.
const MOST_NAMES: usize = 3;

/// The findings about served versions with fields that the stored version does not have.
pub(super) fn conversion_findings(node: Node<'_>, document: &Value) -> Vec<Diagnostic> {
    let strategy = document.pointer("/spec/conversion/strategy").and_then(Value::as_str);
    if strategy == Some("Webhook") {
        return Vec::new();
    }
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    let versions: Vec<&Value> = versions.into_iter().flatten().collect();
    let is_true = |version: &Value, field: &str| version.get(field) == Some(&Value::Bool(true));
    let Some(stored) = versions.iter().find(|version| is_true(version, "storage")) else { return Vec::new() };
    let nodes = node.get("spec").and_then(|spec| spec.get("versions")).into_iter().flat_map(Node::items);
    let others = versions
        .iter()
        .zip(nodes)
        .filter(|(version, _)| !is_true(version, "storage") && is_true(version, "served"));
    others.filter_map(|(version, node)| version_finding(version, stored, node, strategy)).collect()
}

fn version_finding(
    version: &Value,
    stored: &Value,
    node: Node<'_>,
    strategy: Option<&str>,
) -> Option<Diagnostic> {
    let mut lost = Vec::new();
    collect_lost(version.pointer(SCHEMA)?, stored.pointer(SCHEMA)?, "", &mut lost);
    lost.retain(|path: &String| !["apiVersion", "kind", "metadata"].contains(&path.as_str()));
    let (shown, more) = lost.split_at(lost.len().min(MOST_NAMES));
    let mut names: Vec<String> = shown.iter().map(|path| format!("`{path}`")).collect();
    if !more.is_empty() {
        names.push(format!("{} more", more.len()));
    }
    let (names, them) = match names.split_last()? {
        (only, []) => (only.clone(), "it"),
        (end, before) => (format!("{} and {end}", before.join(", ")), "them"),
    };
    let text = |version: &Value| version.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (own, stored) = (text(version), text(stored));
    let message = format!("{names} of `{own}` cannot be stored: `{stored}` does not declare {them}");
    let span = node.get("name").unwrap_or(node).span();
    let mut finding = lints::UNCONVERTED_FIELD.diagnostic_at(span, message);
    if strategy.is_none() {
        // A generator leaves the webhook to a patch.
        finding.level = Level::Info;
    }
    Some(finding.with_help(format!(
        "declare {them} in `{stored}`, or convert objects with a webhook (`spec.conversion`): without one a server changes `apiVersion` alone and \
         prunes the rest"
    )))
}

/// The outermost fields of a schema that another one does not keep.
fn collect_lost(schema: &Value, other: &Value, path: &str, lost: &mut Vec<String>) {
    let is_set = |keyword: &str| keyword_value(other, keyword) == Some(&Value::Bool(true));
    if is_set(PRESERVE_UNKNOWN_FIELDS) || is_set(EMBEDDED_RESOURCE) || other == &Value::Bool(true) {
        return;
    }
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let kept = other.get("properties").and_then(|fields| fields.get(name));
        match kept.or_else(|| other.get("additionalProperties")) {
            Some(kept) => collect_lost(field, kept, &below(name), lost),
            None => lost.push(below(name)),
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let (Some(of), Some(kept)) = (schema.get(keyword), other.get(keyword)) {
            collect_lost(of, kept, &format!("{path}[*]"), lost);
        }
    }
}
