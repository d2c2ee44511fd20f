//! Definitions, policies and bindings as values, with the places of their expressions in the text.

use std::collections::HashMap;
use std::sync::Arc;

use kvrules_apiserver::policy::{is_generated_policy, restated_kind};
use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::pointer::escape_step;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node};
use serde_json::Value as Json;

use crate::resource::{ResourceKind, find_resources};

/// A definition, a policy or a binding as a value, with the locations of its expressions.
#[derive(Clone, Debug)]
pub struct ResourceText {
    /// Its kind.
    pub kind: ResourceKind,
    /// Its value.
    pub value: Arc<Json>,
    /// Its location.
    pub span: Span,
    /// By JSON pointers.
    places: HashMap<String, Span>,
}

impl ResourceText {
    /// Creates the text of a resource that has been read from a node.
    ///
    /// ```
    /// use kvrules_crd::{ResourceKind, ResourceText};
    /// use kvrules_diagnostics::FileId;
    /// use serde_json::json;
    ///
    /// let text = "kind: ValidatingAdmissionPolicy\nspec:\n  validations:\n  - expression: 'true'\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let node = stream.documents[0].root().unwrap();
    /// let policy = ResourceText::new(ResourceKind::Policy, node, json!({"spec": {}}).into());
    /// let span = policy.find_span("/spec/validations/0").unwrap();
    /// assert_eq!(&text[span.to_range()], "expression: 'true'");
    /// ```
    pub fn new(kind: ResourceKind, node: Node<'_>, value: Arc<Json>) -> Self {
        let mut places = HashMap::new();
        match kind {
            ResourceKind::Definition => collect_rules(node, &mut places),
            ResourceKind::Policy | ResourceKind::Binding => collect_expressions(node, &mut places),
        }
        let span = node.get("kind").unwrap_or(node).span();
        Self { kind, value, span, places }
    }

    /// Returns the kind as the author wrote it: of a policy that is restated that of its own notation.
    pub fn written_kind(&self) -> &str {
        restated_kind(&self.value).unwrap_or_else(|| self.kind.as_str())
    }

    /// True if an engine makes the policy of another one that its author wrote.
    pub fn is_generated(&self) -> bool {
        is_generated_policy(&self.value)
    }

    /// Returns the location of an entry of `x-kubernetes-validations`, or of a list of a policy, by its JSON pointer; `None` if it
    /// is not written in the text.
    pub fn find_span(&self, pointer: &str) -> Option<Span> {
        self.places.get(pointer).copied()
    }
}

/// Returns the policies and bindings in the documents of a file that have values.
pub fn read_policies(documents: &[&Document<'_>]) -> Vec<ResourceText> {
    let resources = documents.iter().flat_map(|document| find_resources(document));
    let policies = resources.filter(|resource| resource.kind != ResourceKind::Definition);
    let read = policies.filter_map(|resource| {
        let value = ValueReader::for_kubernetes().read_value(resource.node).ok()?;
        Some(ResourceText::new(resource.kind, resource.node, Arc::new(value)))
    });
    read.collect()
}

/// Adds a name to a JSON pointer.
pub fn push_pointer(pointer: &mut String, name: &str) {
    pointer.push('/');
    if name.contains(['~', '/']) {
        pointer.push_str(&escape_step(name));
    } else {
        pointer.push_str(name);
    }
}

/// The lists of policies whose entries have expressions.
const LISTS: [&str; 4] = ["validations", "variables", "matchConditions", "auditAnnotations"];

fn collect_expressions(policy: Node<'_>, places: &mut HashMap<String, Span>) {
    let Some(spec) = policy.get("spec") else { return };
    for list in LISTS {
        let entries = spec.get(list).into_iter().flat_map(Node::items);
        places.extend(
            entries.enumerate().map(|(index, entry)| (format!("/spec/{list}/{index}"), entry.span())),
        );
    }
}

fn collect_rules(definition: Node<'_>, places: &mut HashMap<String, Span>) {
    let versions = definition.get("spec").and_then(|spec| spec.get("versions"));
    for (index, version) in versions.into_iter().flat_map(Node::items).enumerate() {
        let schema = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
        if let Some(schema) = schema {
            let mut pointer = format!("/spec/versions/{index}/schema/openAPIV3Schema");
            collect_schema(schema, &mut pointer, places);
        }
    }
}

/// Only the spine of a structural schema may have rules.
fn collect_schema(schema: Node<'_>, pointer: &mut String, places: &mut HashMap<String, Span>) {
    let length = pointer.len();
    for entry in schema.entries_with_merged() {
        let keyword = entry.key.text();
        if !matches!(keyword, VALIDATIONS | "properties" | "items" | "additionalProperties") {
            continue;
        }
        push_pointer(pointer, keyword);
        match keyword {
            VALIDATIONS => {
                for (index, rule) in entry.value.items().enumerate() {
                    places.insert(format!("{pointer}/{index}"), rule.span());
                }
            }
            "properties" => {
                let inner = pointer.len();
                for property in entry.value.entries_with_merged() {
                    push_pointer(pointer, property.key.text());
                    collect_schema(property.value, pointer, places);
                    pointer.truncate(inner);
                }
            }
            _ => collect_schema(entry.value, pointer, places),
        }
        pointer.truncate(length);
    }
}
