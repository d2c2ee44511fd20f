//! The stored objects of which others are updates.

use std::collections::HashMap;

use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_syntax::kubernetes::find_objects;
use kvrules_syntax::source_stream;
use kvrules_syntax::value::ValueReader;
use serde_json::Value;

use super::super::is_broken;

/// Objects as they are stored, by group, kind, namespace and name.
#[derive(Debug, Default)]
pub struct StoredObjects(HashMap<ObjectKey, Value>);

type ObjectKey = (String, String, String, String);

impl StoredObjects {
    /// Reads all objects of a file: several documents, lists.
    ///
    /// # Errors
    ///
    /// Every part of the file that is neither YAML nor JSON, with its location.
    ///
    /// ```
    /// use kvrules::eval::{Definitions, Engine, Evaluator, Options, StoredObjects};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let source = |text: &str| SourceFile::new(FileId(0), "a.yaml", text);
    /// let definition = source(r#"
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// spec: {group: example.com, names: {kind: Pond}, versions: [{name: v1, served: true, schema: {openAPIV3Schema:
    ///   {type: object, properties: {depth: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}]}
    /// "#);
    /// let pond = |depth| source(&format!("apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: a}}\ndepth: {depth}\n"));
    /// let definitions = Some(Definitions::read_definitions(&definition)?.into());
    /// let stored = Some(StoredObjects::read_objects(&pond(3))?.into());
    /// let options = Options { engine: Engine::Crd, definitions, stored, ..Options::default() };
    /// let answer = Evaluator::new(options).evaluate_objects(&pond(2)).remove(0).crd.unwrap();
    /// assert_eq!((answer.operation, answer.verdict.as_str()), ("update", "rejected"));
    /// # Ok::<(), Vec<kvrules::Diagnostic>>(())
    /// ```
    pub fn read_objects(source: &SourceFile) -> Result<Self, Vec<Diagnostic>> {
        let stream = source_stream(source);
        let (mut stored, mut faults) = (Self::default(), Vec::new());
        let mut fault = |span, message: String| faults.push(Diagnostic::refused_input("old", span, message));
        for document in &stream.documents {
            if is_broken(document) {
                let span = document.problems().first().map(|problem| problem.span).unwrap_or_default();
                fault(span, "this cannot be read".to_owned());
                continue;
            }
            let Some(root) = document.root() else { continue };
            for found in find_objects(root) {
                match ValueReader::for_kubernetes().read_value(found.node) {
                    Ok(object) => stored.add_object(found.kind, found.api_version, object),
                    Err(error) => fault(error.span, error.message),
                }
            }
        }
        if faults.is_empty() { Ok(stored) } else { Err(faults) }
    }

    fn add_object(&mut self, kind: &str, api_version: &str, object: Value) {
        self.0.insert(object_key(kind, api_version, &object), object);
    }

    /// The stored object that an object takes the place of.
    pub(crate) fn find_stored(&self, kind: &str, api_version: &str, object: &Value) -> Option<&Value> {
        self.0.get(&object_key(kind, api_version, object))
    }
}

fn object_key(kind: &str, api_version: &str, object: &Value) -> ObjectKey {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    // A missing namespace is `default`, for the server as well as for kubectl.
    let namespace = Some(text("/metadata/namespace")).filter(|name| !name.is_empty() && name != "default");
    (group.to_owned(), kind.to_owned(), namespace.unwrap_or_default(), text("/metadata/name"))
}
