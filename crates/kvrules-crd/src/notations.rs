//! Policies of other engines, restated as ValidatingAdmissionPolicies and bindings. The restated tree has the locations of the
//! author's text, and says where it comes from; whatever reads policies reads it like any other.
//!
//! ```
//! use kvrules_crd::{ResourceKind, locate_resources, notations::restate_documents};
//! use kvrules_diagnostics::FileId;
//!
//! let text = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: few}\nspec: {validations: [{expression: 'true'}]}\n";
//! let stream = kvrules_syntax::parse_stream(FileId(0), text);
//! let restated = restate_documents(&stream.documents.iter().collect::<Vec<_>>()).unwrap();
//! let kinds: Vec<_> = locate_resources(&restated[0]).into_iter().filter_map(|found| found.kind).collect();
//! assert_eq!(kinds, [ResourceKind::Policy, ResourceKind::Binding]);
//! ```

mod gatekeeper;
mod kyverno;
mod parts;

use kvrules_apiserver::policy::RESTATED_FROM;
use kvrules_diagnostics::{Diagnostic, FileId};
use kvrules_syntax::restated::{TreePart, copy_document, restate_document};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node};
use serde_json::Value;

/// A notation of policies.
struct PolicyNotation {
    /// Group of the API.
    group: &'static str,
    /// True for an object of one of its kinds.
    is_known: fn(Node<'_>) -> bool,
    /// True for an object that is restated. Others only say something about those in the same input, or are of another language.
    is_restated: for<'d> fn(Node<'d>, &[Node<'d>]) -> bool,
    /// Restates an object of one of the kinds. The objects of the input may say something about it.
    restate: for<'d> fn(Node<'d>, &[Node<'d>]) -> Vec<TreePart<'d>>,
    /// Findings about the object as its author wrote it.
    findings: fn(Node<'_>) -> Vec<Diagnostic>,
}

static NOTATIONS: [&PolicyNotation; 3] =
    [&kyverno::NOTATION, &gatekeeper::TEMPLATES, &gatekeeper::CONSTRAINTS];

/// The notation of an object.
fn find_notation(object: Node<'_>) -> Option<&'static PolicyNotation> {
    let group = object.get("apiVersion")?.text().split('/').next().unwrap_or_default();
    let notation = NOTATIONS.iter().copied().find(|notation| notation.group == group)?;
    (notation.is_known)(object).then_some(notation)
}

/// The notation of an object that is restated.
fn find_restating<'d>(object: Node<'d>, objects: &[Node<'d>]) -> Option<&'static PolicyNotation> {
    find_notation(object).filter(|notation| (notation.is_restated)(object, objects))
}

/// True for an object of another engine that is not restated: it only says something about the policies in its input, such as an
/// exception, or is of another language.
pub fn is_supplement(object: Node<'_>) -> bool {
    find_notation(object).is_some()
}

/// True for a document with objects of other engines, restated or not.
pub fn has_notations(document: &Document<'_>) -> bool {
    let objects = document.root().map(parts::objects_of).unwrap_or_default();
    objects.into_iter().any(|object| is_restated(object) || is_supplement(object))
}

/// Returns the documents with the policies of other engines restated; `None` if there are none.
pub fn restate_documents<'s>(documents: &[&Document<'s>]) -> Option<Vec<Document<'s>>> {
    let roots = documents.iter().filter_map(|document| document.root());
    let objects: Vec<Node<'_>> = roots.flat_map(|root| parts::objects_of(root)).collect();
    if !objects.iter().any(|object| find_restating(*object, &objects).is_some()) {
        return None;
    }
    documents.iter().map(|document| restate_one(document, &objects)).collect()
}

/// Restates a document, or copies it.
fn restate_one<'d, 's>(document: &'d Document<'s>, objects: &[Node<'d>]) -> Option<Document<'s>> {
    let Some(root) = document.root() else { return copy_document(document) };
    let own = parts::objects_of(root);
    if !own.iter().any(|object| find_restating(*object, objects).is_some()) {
        return copy_document(document);
    }
    let mut restated = Vec::new();
    for object in own {
        match restate_object(object, objects) {
            Some(parts) => restated.extend(parts),
            None => restated.push(TreePart::Written(object)),
        }
    }
    let span = root.span();
    let whole = match <[TreePart<'_>; 1]>::try_from(restated) {
        Ok([one]) => one,
        Err(several) => TreePart::made_map(
            [
                ("apiVersion", TreePart::made_text("v1", span)),
                ("kind", TreePart::made_text("List", span)),
                ("items", TreePart::List(several, span)),
            ],
            span,
        ),
    };
    restate_document(document, &whole)
}

/// The parts that an object becomes; `None` if it is not restated. Nodes of other documents are of other texts, so that only their
/// values are taken.
fn restate_object<'d>(object: Node<'d>, objects: &[Node<'d>]) -> Option<Vec<TreePart<'d>>> {
    let notation = find_restating(object, objects)?;
    Some((notation.restate)(object, objects))
}

/// Returns the findings about the policies of other engines in a document, as their authors wrote it.
pub fn written_findings(document: &Document<'_>) -> Vec<Diagnostic> {
    let objects = document.root().map(parts::objects_of).unwrap_or_default();
    let findings = |object: Node<'_>| Some((find_notation(object)?.findings)(object));
    objects.into_iter().filter_map(findings).flatten().collect()
}

/// Returns the policies and bindings that a value says, with what other values of the input say about it; `None` if it is not of
/// another notation. Values have no locations.
pub fn restate_value(value: &Value, others: &[Value]) -> Option<Vec<Value>> {
    let all: Vec<String> = std::iter::once(value).chain(others).map(Value::to_string).collect();
    let streams: Vec<_> =
        all.iter().map(|text| kvrules_syntax::parse_stream(FileId::default(), text)).collect();
    let documents: Vec<_> = streams.iter().filter_map(|stream| stream.documents.first()).collect();
    let objects: Vec<Node<'_>> =
        documents.iter().filter_map(|document| document.root()).flat_map(parts::objects_of).collect();
    let first = documents.first()?;
    find_restating(first.root()?, &objects)?;
    let restated = restate_one(first, &objects)?;
    let nodes = restated.root().map(parts::objects_of).unwrap_or_default();
    Some(nodes.into_iter().filter_map(|node| ValueReader::for_kubernetes().read_value(node).ok()).collect())
}

/// True if a node of a restated document is a policy or a binding that was made of another notation.
pub(crate) fn is_restated(node: Node<'_>) -> bool {
    node.get(RESTATED_FROM).is_some()
}

/// True if an engine makes the policy of another one that its author wrote.
pub(crate) fn is_generated(node: Node<'_>) -> bool {
    node.get(RESTATED_FROM).and_then(|origin| origin.get("isGenerated")).is_some()
}
