//! Tests of the server's answers about metadata.

use serde_json::{Value as Json, json};

use super::*;

fn reported(failures: &[Failure]) -> Vec<String> {
    failures.iter().map(Failure::to_message).collect()
}

fn of_cluster(metadata: &Json) -> Vec<String> {
    reported(&metadata_violations(metadata, ResourceScope::Cluster, NameRule::Subdomain, "metadata"))
}

/// Metadata, and the beginnings of what the server says of it.
fn refused() -> Vec<(Json, Vec<&'static str>)> {
    let long = "a".repeat(64);
    vec![
        (json!({}), vec!["metadata.name: Required value: name or generateName is required"]),
        (
            json!({"name": "A"}),
            vec!["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must"],
        ),
        (json!({"name": "a", "generateName": "b-"}), vec![]),
        (
            json!({"name": "a", "generateName": "-"}),
            vec!["metadata.generateName: Invalid value: \"-\": a lower"],
        ),
        (
            json!({"name": "a", "generateName": "b_"}),
            vec!["metadata.generateName: Invalid value: \"b_\": a lower"],
        ),
        (
            json!({"name": "a", "namespace": "b"}),
            vec!["metadata.namespace: Forbidden: not allowed on this type"],
        ),
        (
            json!({"name": "a", "generation": -1}),
            vec!["metadata.generation: Invalid value: -1: must be greater"],
        ),
        (
            json!({"name": "a", "labels": {"a": "b c"}}),
            vec!["metadata.labels: Invalid value: \"b c\": a valid label"],
        ),
        (
            json!({"name": "a", "labels": {"a b": "c"}}),
            vec!["metadata.labels: Invalid value: \"a b\": name part must"],
        ),
        (
            json!({"name": "a", "labels": {"/a": "c"}}),
            vec!["metadata.labels: Invalid value: \"/a\": prefix part must"],
        ),
        (json!({"name": "a", "labels": {"a": long}}), vec!["metadata.labels: Invalid value: \"aaaa"]),
        (json!({"name": "a", "annotations": {"A/B": "any \n text"}}), vec![]),
        (
            json!({"name": "a", "annotations": {"b/": ""}}),
            vec![
                "metadata.annotations: Invalid value: \"b/\": name part must be non-empty",
                "metadata.annotations: Invalid value: \"b/\": name part must consist",
            ],
        ),
        (
            json!({"name": "a", "annotations": {"b": "x".repeat(262_144)}}),
            vec!["metadata.annotations: Too long: may not be more than 262144 bytes"],
        ),
        (json!({"name": "a", "annotations": {"b": "x".repeat(262_143)}}), vec![]),
        (
            json!({"name": "a", "finalizers": ["x y"]}),
            vec!["metadata.finalizers: Invalid value: \"x y\": name part"],
        ),
        (
            json!({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]}),
            vec![
                "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDel",
            ],
        ),
        (
            json!({"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}]}),
            vec![],
        ),
        (
            json!({"name": "a", "ownerReferences": [{}]}),
            vec![
                "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
                "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
                "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
                "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
            ],
        ),
        (
            json!({"name": "a", "ownerReferences": [{"apiVersion": "a/b/c", "kind": "Pod", "name": "p", "uid": "1"}]}),
            vec!["metadata.ownerReferences.apiVersion: Invalid value: \"a/b/c\": version must not be empty"],
        ),
        (
            json!({"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": "1"}]}),
            vec![
                "metadata.ownerReferences: Invalid value: {\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"p\",\"uid\":\"1\"}: /v1, Kind=Event is disallowed",
            ],
        ),
        (
            json!({"name": "a", "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1", "controller": true},
                {"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "2", "controller": true},
            ]}),
            vec!["metadata.ownerReferences: Invalid value: ["],
        ),
        (
            json!({"name": "a", "managedFields": [{"operation": "Put", "fieldsType": "x"}]}),
            vec![
                "metadata.managedFields[0].operation: Invalid value: \"Put\": must be `Apply` or `Update`",
                "metadata.managedFields[0].fieldsType: Invalid value: \"x\": must be `FieldsV1`",
            ],
        ),
    ]
}

#[test]
fn metadata_is_judged_in_full() {
    for (metadata, expected) in refused() {
        let found = of_cluster(&metadata);
        let agrees = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(found, expected)| found.starts_with(expected));
        assert!(agrees, "{metadata}: {found:?} for {expected:?}");
    }
}

#[test]
fn an_object_of_a_namespaced_kind_needs_a_namespace() {
    let requested = |metadata: Json| {
        reported(&metadata_violations(&metadata, ResourceScope::Namespaced, NameRule::Subdomain, "metadata"))
    };
    assert_eq!(requested(json!({"name": "a", "namespace": "b"})), [""; 0]);
    assert_eq!(requested(json!({"name": "a"})), ["metadata.namespace: Required value"]);
    assert!(
        requested(json!({"name": "a", "namespace": "b.c"}))[0].contains("must not contain dots")
            || !requested(json!({"name": "a", "namespace": "b.c"})).is_empty()
    );
}

#[test]
fn an_embedded_name_needs_only_to_stand_in_a_path() {
    let requested = |name: &str| {
        reported(&metadata_violations(
            &json!({"name": name}),
            ResourceScope::Cluster,
            NameRule::PathSegment,
            "m",
        ))
    };
    assert_eq!(requested("A b"), [""; 0]);
    assert_eq!(
        requested("a/b%"),
        [
            "m.name: Invalid value: \"a/b%\": may not contain '/'",
            "m.name: Invalid value: \"a/b%\": may not contain '%'"
        ]
    );
    assert_eq!(requested(".."), ["m.name: Invalid value: \"..\": may not be '..'"]);
}

#[test]
fn an_update_keeps_what_is_immutable() {
    let old = json!({"name": "A", "uid": "1", "deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["a.b/c"]});
    let requested = |new: Json| reported(&update_violations(&new, &old, ResourceScope::Cluster, "metadata"));
    assert_eq!(requested(json!({"name": "A", "finalizers": ["a.b/c"]})), [""; 0]);
    assert_eq!(
        requested(json!({"name": "A", "uid": "2"})),
        ["metadata.uid: Invalid value: \"2\": field is immutable"]
    );
    assert_eq!(
        requested(json!({"name": "A", "finalizers": ["a.b/d"]})),
        [
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
         finalizers []string{\"a.b/d\"}"
        ]
    );
    assert_eq!(requested(json!({"name": "B"})), ["metadata.name: Invalid value: \"B\": field is immutable"]);
    let alive = json!({"name": "a"});
    let new =
        json!({"name": "a", "deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3});
    assert_eq!(
        reported(&update_violations(&new, &alive, ResourceScope::Cluster, "metadata")),
        [
            "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable",
            "metadata.deletionTimestamp: Invalid value: \"2024-01-01T00:00:00Z\": field is immutable",
        ]
    );
}

#[test]
fn metadata_of_the_wrong_type_is_refused_in_the_words_of_the_decoder() {
    let cases = [
        (json!({"labels": {"a": 1}}), "number into Go struct field ObjectMeta.labels of type string"),
        (json!({"labels": []}), "array into Go struct field ObjectMeta.labels of type map[string]string"),
        (
            json!({"annotations": {"a": true}}),
            "bool into Go struct field ObjectMeta.annotations of type string",
        ),
        (json!({"name": 1}), "number into Go struct field ObjectMeta.name of type string"),
        (json!({"uid": {}}), "object into Go struct field ObjectMeta.uid of type types.UID"),
        (json!({"generation": 1.5}), "number 1.5 into Go struct field ObjectMeta.generation of type int64"),
        (json!({"generation": "1"}), "string into Go struct field ObjectMeta.generation of type int64"),
        (json!({"finalizers": "a"}), "string into Go struct field ObjectMeta.finalizers of type []string"),
        (json!({"finalizers": [1]}), "number into Go struct field ObjectMeta.finalizers of type string"),
        (
            json!({"ownerReferences": {}}),
            "object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
        ),
        (
            json!({"ownerReferences": [1]}),
            "number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
        ),
        (
            json!({"ownerReferences": [{"controller": "x"}]}),
            "string into Go struct field OwnerReference.ownerReferences.controller of type bool",
        ),
        (json!("a"), "string into Go value of type v1.ObjectMeta"),
    ];
    for (metadata, expected) in cases {
        let error = decode_metadata(&metadata, TypeErrorHandling::Refuse).unwrap_err();
        assert_eq!(error, format!("json: cannot unmarshal {expected}"), "{metadata}");
        assert!(decode_metadata(&metadata, TypeErrorHandling::Drop).is_ok());
    }
}

#[test]
fn reading_metadata_drops_what_is_unknown_or_empty() {
    let metadata = json!({
        "name": "a", "namespace": "", "x": 1, "labels": {}, "creationTimestamp": null, "finalizers": [],
        "ownerReferences": [{"kind": "Pod", "y": 1}], "deletionTimestamp": "2024-01-01T01:00:00.5+01:00",
    });
    let decoded = decode_metadata(&metadata, TypeErrorHandling::Refuse).unwrap();
    assert_eq!(decoded.unknown, ["ownerReferences[0].y", "x"]);
    assert_eq!(
        decoded.metadata,
        json!({
            "name": "a", "ownerReferences": [{"apiVersion": "", "kind": "Pod", "name": "", "uid": ""}],
            "deletionTimestamp": "2024-01-01T00:00:00Z",
        })
    );
}

#[test]
fn finalizers_that_a_write_adds_are_warned_of() {
    let metadata = json!({"finalizers": ["plain", "a.b/c", "orphan"]});
    let warnings = finalizer_warnings(&metadata, None);
    assert!(
        matches!(warnings.as_slice(), [one] if one.starts_with("metadata.finalizers: \"plain\": prefer a domain-qualified"))
    );
    assert_eq!(finalizer_warnings(&metadata, Some(&metadata)), [""; 0]);
}
