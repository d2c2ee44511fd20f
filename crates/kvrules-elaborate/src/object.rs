//! Objects as they are in a text, as JSON values: bare, or in a template that is processed as its engine does.

mod parameters;
mod process;

pub use parameters::{ParameterValues, whole_reference};
pub use process::process_object;

use kvrules_syntax::Node;
use kvrules_syntax::value::{NotJsonError, ValueReader};
use serde_json::Value;

/// The value of a document that is not in a template: of a Kubernetes object as the server gets it, of any other document by
/// YAML 1.2.
pub fn document_value(node: Node<'_>) -> Result<Value, NotJsonError> {
    let is_of_kubernetes = node.get("apiVersion").is_some() || node.get("kind").is_some();
    let reader = if is_of_kubernetes { ValueReader::for_kubernetes() } else { ValueReader::for_yaml12() };
    reader.with_exact_integers().read_value(node)
}

/// The value of an object for a Kubernetes API server, with the parameters of its template.
pub fn object_value(node: Node<'_>, parameters: &ParameterValues) -> Result<Value, NotJsonError> {
    ValueReader::for_kubernetes().with_exact_integers().with_texts(parameters).read_value(node)
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_objects_of_kubernetes_are_read_by_yaml_1_1() {
        let read = |text: &str| {
            let stream = kvrules_syntax::parse_stream(FileId(0), text);
            document_value(stream.documents[0].root().unwrap()).unwrap()
        };
        assert_eq!(read("{state: on, mode: 0644}"), json!({"state": "on", "mode": 644}));
        let object = read("{apiVersion: a/v1, kind: A, state: on, mode: 0644}");
        assert_eq!((&object["state"], &object["mode"]), (&json!(true), &json!(420)));
    }
}
