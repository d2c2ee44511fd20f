//! The catalog compared with the recorded types of each minor.

mod builder;

use kvrules_kubernetes::types::{
    Minor, find_kind, find_resources, is_kubernetes_group, kubernetes_groups, resolve_metadata,
    resolve_schema,
};
use serde_json::Value;

/// The recorded types, from the oldest minor.
fn recorded_types() -> Option<Vec<Value>> {
    (31..=36).map(|minor| kvrules_testdata::read_value(&format!("kubernetes/types/1.{minor}.json"))).collect()
}

#[test]
fn the_catalog_is_made_of_the_recorded_types() {
    let Some(types) = recorded_types() else { return };
    let data = include_bytes!("../../data/types.txt.zlib");
    assert!(data.len() < 400_000, "{}", data.len());
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(data).unwrap();
    let is_fresh = builder::build_catalog(&types).as_bytes() == text;
    assert!(is_fresh, "the catalog is stale; run `cargo xtask kubernetes-types`");
}

#[test]
fn every_recorded_resource_is_found_with_its_facts_and_a_schema_without_references() {
    let Some(types) = recorded_types() else { return };
    let mut compared = 0;
    for (minor, types) in Minor::newest_first().zip(types.iter().rev()) {
        assert_eq!(types["kubernetes"], minor.to_string());
        let mut found = 0;
        for recorded in types["resources"].as_array().unwrap() {
            let text = |key: &str| recorded[key].as_str().unwrap();
            let resource = find_kind(minor, text("group"), text("version"), text("kind")).unwrap();
            assert_eq!(resource.plural, text("plural"));
            assert_eq!(resource.is_namespaced, recorded["namespaced"] == true, "{}", resource.plural);
            let subresources: Vec<_> = resource.subresources.iter().map(|it| it.name).collect();
            let expected = recorded["subresources"].as_object().unwrap();
            assert_eq!(subresources, expected.keys().collect::<Vec<_>>(), "{}", resource.plural);
            let schema = resolve_schema(minor, resource, &|_| true).unwrap();
            let is_resolved = !schema.to_string().contains("\"$ref\":\"");
            assert!(is_resolved, "{}", resource.plural);
            assert_eq!(schema["type"], "object", "{}", resource.plural);
            found += 1;
        }
        let listed = kubernetes_groups().into_iter().flat_map(find_resources);
        assert_eq!(listed.filter(|it| it.minors.contains(minor)).count(), found, "{minor}");
        compared += found;
    }
    println!("compared {compared} resources of six minors");
    assert!(compared > 500, "{compared}");
}

#[test]
fn resources_of_one_minor_are_not_found_in_another() {
    let kinds = |minor| find_kind(minor, "admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy");
    assert!(kinds(Minor::NEWEST).is_some() && kinds(Minor::OLDEST).is_none());
    assert!(is_kubernetes_group("") && is_kubernetes_group("apps") && !is_kubernetes_group("example.com"));
    assert_eq!(find_resources("example.com").count(), 0);
}

#[test]
fn schemas_have_fields_of_every_form() {
    let resource = |group, version, kind| find_kind(Minor::NEWEST, group, version, kind).unwrap();
    let everything = |_: &str| true;
    let at = |schema: &Value, path: &str| schema.pointer(path).cloned().unwrap_or_default();
    let service = resolve_schema(Minor::NEWEST, resource("", "v1", "Service"), &everything).unwrap();
    let port = "/properties/spec/properties/ports/items/properties/targetPort/x-kubernetes-int-or-string";
    assert_eq!(at(&service, port), true);
    assert_eq!(
        at(&service, "/properties/metadata/properties/labels/additionalProperties/type"),
        "string",
        "metadata is that of every object"
    );
    let pod = resolve_schema(Minor::NEWEST, resource("", "v1", "Pod"), &everything).unwrap();
    let container = "/properties/spec/properties/containers";
    assert_eq!(at(&pod, &format!("{container}/x-kubernetes-list-map-keys/0")), "name");
    let limits = format!("{container}/items/properties/resources/properties/limits/additionalProperties");
    assert_eq!(at(&pod, &limits), serde_json::json!({"type": "string"}), "a quantity is written as a string");
    let group = "apiextensions.k8s.io";
    let crd = resource(group, "v1", "CustomResourceDefinition");
    assert!(resolve_schema(Minor::NEWEST, crd, &everything).is_some(), "its schema contains itself");
    let metadata = resolve_metadata(Minor::OLDEST, &|name| name == "labels").unwrap();
    assert_eq!(metadata["properties"].as_object().unwrap().len(), 1);
}

#[test]
fn facts_of_stored_objects_name_optional_fields_of_known_schemas() {
    let Some(types) = recorded_types() else { return };
    let facts = include_str!("../../data/stored-fields.txt");
    let mut count = 0;
    for line in facts.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (kind, schema) = head.split_once(':').unwrap_or(("", head));
        let all = || types.iter().rev();
        let has_kind =
            |types: &Value| types["resources"].as_array().unwrap().iter().any(|it| it["kind"] == kind);
        assert!(kind.is_empty() || all().any(has_kind), "{line}");
        let schemas: Vec<_> =
            all().map(|types| &types["schemas"][format!("io.k8s.{schema}")]["properties"]).collect();
        assert!(schemas.iter().all(|properties| properties.is_object()), "{line}");
        let fields: Vec<String> = match rest.strip_prefix("if ") {
            Some(rule) => {
                let field = |text: &str| text.chars().take_while(char::is_ascii_alphanumeric).collect();
                rule.split("self.").skip(1).map(field).collect()
            }
            None => rest.split_whitespace().map(str::to_owned).collect(),
        };
        for field in fields {
            assert!(schemas.iter().any(|properties| properties.get(&field).is_some()), "{field}: {line}");
            count += 1;
        }
    }
    println!("{count} fields");
    assert!(count > 140, "{count}");
}

#[test]
fn the_fields_that_every_subresource_writes_are_known() {
    let mut seen = std::collections::BTreeSet::new();
    for resource in kubernetes_groups().into_iter().flat_map(find_resources) {
        for written in resource.written_fields() {
            assert!(!written.fields.contains(&""), "{}/{}", resource.plural, written.subresource);
            seen.insert(format!(
                "{}/{} {}: {}",
                resource.plural,
                written.subresource,
                if written.shows_object { "whole" } else { "part" },
                written.fields.join(" ")
            ));
        }
    }
    for line in [
        "pods/ephemeralcontainers whole: spec.ephemeralContainers",
        "pods/binding part: spec.nodeName metadata.annotations metadata.labels status.conditions",
        "pods/status whole: status metadata.labels metadata.annotations metadata.finalizers",
        "deployments/scale part: spec.replicas",
        "deployments/status whole: status metadata.annotations metadata.finalizers metadata.ownerReferences",
        "resourceclaims/status whole: status",
        "certificatesigningrequests/approval whole: status.conditions metadata.labels metadata.annotations \
         metadata.finalizers metadata.ownerReferences",
    ] {
        assert!(seen.contains(line), "{line}: {seen:#?}");
    }
    assert!(
        !seen.iter().any(|line| line.contains("/token") || line.contains("/proxy") || line.contains("/log"))
    );
}
