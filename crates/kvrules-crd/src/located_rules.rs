//! Rules of definitions as nodes of the text.

use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::Node;

/// A rule in the schema of a version.
#[derive(Clone, Debug)]
pub struct LocatedRule<'d> {
    /// The field that has it, such as `spec.disks[]`; empty for the object.
    pub field: String,
    /// The schema of the field.
    pub schema: Node<'d>,
    /// The entry of `x-kubernetes-validations`.
    pub rule: Node<'d>,
}

/// Returns the versions of a definition.
pub fn definition_versions(definition: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let versions = definition.get("spec").and_then(|spec| spec.get("versions"));
    versions.into_iter().flat_map(Node::items).filter(|version| !version.is_alias())
}

/// Returns the rules in the schema of a version, in the order of the text. A rule behind an alias is where it is written.
///
/// ```
/// use kvrules_crd::{definition_versions, locate_rules};
/// use kvrules_diagnostics::FileId;
///
/// let text = "spec: {versions: [{schema: {openAPIV3Schema: {properties: {a: {items: {x-kubernetes-validations: [{rule: self > 1}]}}}}}}]}";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let version = definition_versions(stream.documents[0].root().unwrap()).next().unwrap();
/// assert_eq!(locate_rules(version)[0].field, "a[]");
/// ```
pub fn locate_rules(version: Node<'_>) -> Vec<LocatedRule<'_>> {
    let mut rules = Vec::new();
    let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
    if let Some(schema) = schema {
        collect_rules(schema, &mut String::new(), &mut rules);
    }
    rules
}

/// Only the spine of a structural schema may have rules.
fn collect_rules<'d>(schema: Node<'d>, field: &mut String, rules: &mut Vec<LocatedRule<'d>>) {
    let length = field.len();
    for entry in schema.entries().filter(|entry| !entry.value.is_alias()) {
        match entry.key.text() {
            VALIDATIONS => {
                let own = entry.value.items().filter(|rule| !rule.is_alias());
                rules.extend(own.map(|rule| LocatedRule { field: field.clone(), schema, rule }));
            }
            "properties" => {
                for property in entry.value.entries().filter(|property| !property.value.is_alias()) {
                    if !field.is_empty() {
                        field.push('.');
                    }
                    field.push_str(property.key.text());
                    collect_rules(property.value, field, rules);
                    field.truncate(length);
                }
            }
            "items" | "additionalProperties" => {
                field.push_str("[]");
                collect_rules(entry.value, field, rules);
                field.truncate(length);
            }
            _ => {}
        }
    }
}
