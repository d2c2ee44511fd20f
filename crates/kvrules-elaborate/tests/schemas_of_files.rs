//! Tests the description of the API that serves the objects of schema files, and the schemas that they declare.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_elaborate::catalog::{Catalog, DeclaredSchema, declared_schemas};
use kvrules_ir::{Subject, Subresource};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: waters.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: waters}
  versions:
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
    schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}
";

const OPENAPI: &str = r#"{"openapi": "3.0.0", "paths": {
  "/apis/apps/v1/watch/deployments": {"get": {}},
  "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale": {
    "put": {"x-kubernetes-group-version-kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}}},
  "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status": {
    "put": {"x-kubernetes-group-version-kind": {"group": "apps", "version": "v1", "kind": "Deployment"}}},
  "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {
    "parameters": [],
    "put": {"x-kubernetes-group-version-kind": {"group": "apps", "version": "v1", "kind": "Deployment"}}},
  "/api/v1/namespaces/{namespace}/pods/{name}": {
    "put": {"x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "Pod"}}}},
  "components": {"schemas": {
    "io.k8s.api.apps.v1.Deployment": {"type": "object", "properties": {"a": {"type": "string"}},
      "x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Deployment"}]},
    "io.k8s.api.core.v1.Pod": {"type": "object", "properties": {"a": {"type": "string"}},
      "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}]},
    "Lost": {"type": "object", "properties": {"a": {"type": "string"}},
      "x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Lost"}]},
    "Plain": {"type": "object", "properties": {"a": {"type": "string"}}}}}}"#;

fn subject(text: &str, choice: &str) -> Subject {
    let file = SourceFile::new(FileId(0), "schema.yaml", text);
    Catalog::from_schema(&file, Some(choice)).unwrap().subject().clone()
}

fn names(subject: &Subject) -> [Option<&str>; 4] {
    [&subject.kind, &subject.group, &subject.version, &subject.resource].map(Option::as_deref)
}

#[test]
fn a_definition_says_group_version_resource_and_what_is_served() {
    let stored = subject(CRD, "Pond");
    assert_eq!(names(&stored), [Some("Pond"), Some("example.com"), Some("v1"), Some("waters")]);
    assert_eq!(stored.served, ["v1", "v2"]);
    assert_eq!(stored.subresources, [Subresource::Status, Subresource::Scale(".spec.count".to_owned())]);
    let other = subject(CRD, "v2");
    assert_eq!(
        (names(&other)[2], other.subresources.len()),
        (Some("v2"), 0),
        "subresources are of a version"
    );
}

#[test]
fn an_openapi_document_says_the_resource_by_its_paths() {
    let deployment = subject(OPENAPI, "Deployment");
    assert_eq!(names(&deployment), [Some("Deployment"), Some("apps"), Some("v1"), Some("deployments")]);
    assert_eq!(
        deployment.subresources,
        [Subresource::Status, Subresource::Scale(".spec.replicas".to_owned())]
    );
    let pod = subject(OPENAPI, "Pod");
    assert_eq!(names(&pod), [Some("Pod"), Some(""), Some("v1"), Some("pods")]);
    assert!(pod.subresources.is_empty());
    assert_eq!(
        names(&subject(OPENAPI, "Lost")),
        [Some("Lost"), Some("apps"), Some("v1"), None],
        "no path serves it"
    );
    assert_eq!(names(&subject(OPENAPI, "Plain")), [None; 4]);
}

#[test]
fn every_schema_of_a_file_is_declared_and_chosen_by_its_names() {
    let declared = |text: &str| declared_schemas(&SourceFile::new(FileId(0), "schema.yaml", text));
    let crds =
        declared(&format!("{CRD}---\na: 1\n---\n{}", CRD.replace("Pond", "Lake").replace("waters", "lakes")));
    assert_eq!(crds.iter().map(DeclaredSchema::display_title).collect::<Vec<_>>(), ["Pond", "Lake"]);
    for (choice, intended) in [
        ("Pond", Some("waters.example.com")),
        ("Pond/v2", Some("waters.example.com/v2")),
        ("Pond.example.com", Some("waters.example.com")),
        ("waters.example.com/v1", Some("waters.example.com/v1")),
        ("Pond/v9", None),
        ("Lake", None),
        ("v1", None),
    ] {
        assert_eq!(crds[0].chosen_by(choice).as_deref(), intended, "{choice}");
    }
    let schemas = declared(OPENAPI);
    assert_eq!(schemas.len(), 4);
    assert_eq!(schemas[0].chosen_by("Deployment").as_deref(), Some("io.k8s.api.apps.v1.Deployment"));
    assert_eq!(declared("properties: {a: {type: string}}").len(), 1);
    assert!(declared("kind: ConfigMap\napiVersion: v1\nproperties: 1\n").is_empty());
    assert!(declared("").is_empty());
}
