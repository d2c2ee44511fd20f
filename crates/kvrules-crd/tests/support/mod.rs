//! Definitions of one kind, for rules that are tried.

use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{Diagnostic, FileId, SourceFile};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

/// The findings in a definition whose objects have this schema.
pub(crate) fn findings_about_objects(schema: &Value) -> Vec<Diagnostic> {
    let names = json!({"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    });
    let text = definition.to_string();
    let source = SourceFile::new(FileId(0), "crd.json", &*text);
    let stream = parse_stream(FileId(0), &text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let (stored, run) = (StoredResources::default(), RunResources::default());
    check_in_run(&source, &documents, &stored, &run).findings
}
