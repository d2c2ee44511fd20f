//! Pages about policies for several kinds: objects of the kind that a validation is about, and the fidelity of compiled schemas.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use kvrules::crd::{RunResources, policy_versions, read_policies};
use kvrules::docs::fact::{FactValue, Piece};
use kvrules::docs::resource_pages::{ResourcePage, ResourceRule};
use kvrules::docs::{Document, MARKDOWN, RuleLocations, render_document};
use kvrules::eval::Definitions;
use kvrules::loss::{LossPolicy, LossReport};
use kvrules::{Request, Sources};
use kvrules_pages::fact_picture::FactPicture;
use kvrules_tests::pages::resource_document;
use serde_json::{Value, json};

/// A policy about Pods and Deployments, each of whose validations is about one of them or both.
fn policy() -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "volumes"},
        "spec": {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            "matchConstraints": {"resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]},
                {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]},
            ]},
            "validations": [
                {"expression": "object.kind != 'Pod' || !has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))"},
                {"expression": "object.kind != 'Deployment' || has(object.spec.replicas) && object.spec.replicas > 1"},
                {"expression": "object.metadata.name != params.data.name"},
                {"expression": "object.metadata.name != 'root'"},
            ],
        },
    })
}

fn document_of(policy: &Value) -> Document {
    document_with(policy, None)
}

fn document_with(policy: &Value, definition: Option<&Value>) -> Document {
    let mut sources = Sources::default();
    let id = sources.add_file("policy.yaml", serde_json::to_string(policy).unwrap());
    let mut resources = read_policies(sources.get(id).unwrap());
    if let Some(definition) = definition {
        let id = sources.add_file("crd.yaml", serde_json::to_string(definition).unwrap());
        let read = Definitions::read_definitions(sources.get(id).unwrap()).unwrap();
        resources.extend(read.into_texts());
    }
    let places = RuleLocations { sources: &sources, link: None };
    resource_document(places, &resources).unwrap()
}

fn sample(rule: &ResourceRule, kind: &str) -> Value {
    let fact = rule.facts.iter().find(|fact| fact.kind == kind).unwrap();
    let FactValue::Code(code) = &fact.value else { panic!("{fact:?}") };
    serde_yaml::from_str(code).unwrap()
}

#[test]
fn a_validation_shows_objects_of_a_kind_that_it_is_about() {
    let document = document_of(&policy());
    let section =
        document.resources[0].sections.iter().find(|section| section.title == "Validations").unwrap();
    let [pods, deployments, _, names] = section.rules.as_slice() else { panic!() };
    let volume = |path: Value| {
        let mut volume = json!({"name": "example"});
        if !path.is_null() {
            volume["hostPath"] = json!({ "path": path });
        }
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "example"}, "spec": {"volumes": [volume]}})
    };
    assert_eq!(sample(pods, "fails"), volume(json!("/data")));
    assert_eq!(sample(pods, "passes"), volume(Value::Null));
    assert_eq!(sample(deployments, "fails")["kind"], json!("Deployment"));
    assert!(sample(deployments, "passes")["spec"]["replicas"].as_i64().unwrap() > 1);
    assert_eq!(sample(names, "fails")["metadata"]["name"], json!("root"));
}

#[test]
fn a_validation_beside_one_about_permissions_shows_objects_with_what_servers_fill_in() {
    let mut policy = policy();
    policy["spec"]["matchConstraints"]["resourceRules"] = json!([
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["services"]},
    ]);
    policy["spec"]["validations"] = json!([
        {"expression": "object.spec.ports.all(p, p.port > 1024 || p.name == 'http')"},
        {"expression": "authorizer.group('').resource('services').check('bind').allowed()"},
    ]);
    let document = document_of(&policy);
    let section =
        document.resources[0].sections.iter().find(|section| section.title == "Validations").unwrap();
    let fails = sample(&section.rules[0], "fails");
    let ports = fails["spec"]["ports"].as_array().unwrap();
    assert!(
        ports
            .iter()
            .any(|port| port["port"].as_i64().is_some_and(|number| number < 1025) && port["name"] != "http"),
        "{fails}"
    );
    assert!(sample(&section.rules[0], "passes")["spec"]["ports"].is_array());
}

#[test]
fn a_validation_that_reads_parameters_shows_objects_with_parameters() {
    let mut policy = policy();
    policy["spec"]["validations"] = json!([{"expression": "object.metadata.name != params.data.name"}]);
    let document = document_of(&policy);
    let section =
        document.resources[0].sections.iter().find(|section| section.title == "Validations").unwrap();
    let [rule] = section.rules.as_slice() else { panic!() };
    let pair = |kind: &str| {
        let fact = rule.facts.iter().find(|fact| fact.kind == kind).unwrap();
        let FactValue::Code(code) = &fact.value else { panic!("{fact:?}") };
        let (params, object) = code.split_once("\n---\n").unwrap();
        let read = |text| serde_yaml::from_str::<Value>(text).unwrap();
        (read(params), read(object))
    };
    for (kind, is_equal) in [("passes", false), ("fails", true)] {
        let (params, object) = pair(kind);
        assert_eq!((&params["kind"], &params["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
        assert_eq!(object["kind"], json!("Pod"));
        assert_eq!(params["data"]["name"] == object["metadata"]["name"], is_equal, "{params} {object}");
    }
    assert!(rule.facts.iter().any(|fact| fact.kind == "accepted"));
}

#[test]
fn items_have_what_the_types_require() {
    let containers = |expression: &str| {
        let mut policy = policy();
        policy["spec"]["validations"] = json!([{ "expression": expression }]);
        let document = document_of(&policy);
        let section =
            document.resources[0].sections.iter().find(|section| section.title == "Validations").unwrap();
        sample(&section.rules[0], "fails")["spec"]["containers"].clone()
    };
    let pods = "object.kind != 'Pod' || !has(object.spec.containers) || ";
    let two = containers(&format!("{pods}object.spec.containers.size() < 2"));
    let mut names: Vec<&Value> = two.as_array().unwrap().iter().map(|item| &item["name"]).collect();
    names.sort_by_key(|name| name.as_str());
    assert_eq!(names, ["example", "other"], "{two}");
    let ports = "object.spec.containers.all(c, !has(c.ports) || c.ports.size() < 1)";
    let ports = containers(&format!("{pods}{ports}"));
    assert_eq!(ports, json!([{"name": "example", "ports": [{"containerPort": 8080}]}]));
}

#[test]
fn an_object_for_which_a_match_condition_ends_in_an_error_does_not_pass() {
    let mut policy = policy();
    policy["spec"]["matchConstraints"]["resourceRules"] = json!([
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]},
    ]);
    policy["spec"]["matchConditions"] =
        json!([{"name": "some", "expression": "object.spec.hostname != 'b'"}]);
    policy["spec"]["validations"] = json!([{"expression": "object.metadata.name != 'root'"}]);
    let document = document_of(&policy);
    let section =
        document.resources[0].sections.iter().find(|section| section.title == "Validations").unwrap();
    let shown = section.rules[0].facts.iter().filter(|fact| fact.kind == "passes");
    for fact in shown {
        let FactValue::Code(code) = &fact.value else { panic!("{fact:?}") };
        let object: Value = serde_yaml::from_str(code).unwrap();
        assert!(object["spec"]["hostname"].is_string(), "{object}");
    }
}

#[test]
fn the_kind_of_parameters_leads_to_its_page() {
    let mut policy = policy();
    policy["spec"]["paramKind"] = json!({"apiVersion": "example.com/v1", "kind": "Limit"});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "limits.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "limits", "kind": "Limit"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    let page_of_policy = |document: &Document| {
        let files = render_document(&MARKDOWN, document, &[]).unwrap();
        files.into_iter().find(|file| file.path == "volumes.md").unwrap().text
    };
    let linked = page_of_policy(&document_with(&policy, Some(&definition)));
    let line = "- **Parameters:** [`Limit`](limits.example.com_v1.md) in `example.com/v1`\n";
    assert!(linked.contains(line), "{linked}");
    let alone = page_of_policy(&document_of(&policy));
    assert!(alone.contains("- **Parameters:** `Limit` in `example.com/v1`\n"), "{alone}");
}

/// The claims of a row of the picture on a page, by target.
type Row = BTreeMap<String, &'static str>;

fn page_rows(page: &ResourcePage) -> BTreeMap<String, Row> {
    let section = page.sections.iter().find(|section| section.title == "Fidelity of targets").unwrap();
    let fact = section.facts.iter().find(|fact| fact.kind == "fidelity-matrix").unwrap();
    let FactValue::Line(line) = &fact.value else { panic!("{fact:?}") };
    let [Piece::Picture(FactPicture::FidelityMatrix { targets, rules })] = line.as_slice() else {
        panic!("{line:?}")
    };
    let rows = rules.iter().map(|rule| {
        let cells = targets.iter().zip(&rule.fidelity);
        let cells = cells.filter_map(|(target, fidelity)| Some((target.clone(), (*fidelity)?.as_str())));
        (rule.name.clone(), cells.collect())
    });
    rows.collect()
}

#[test]
fn the_fidelity_of_a_policy_is_that_of_its_compiled_schemas() {
    let mut sources = Sources::default();
    let id = sources.add_file("policy.yaml", serde_json::to_string(&policy()).unwrap());
    let texts = read_policies(sources.get(id).unwrap());
    let versions = policy_versions(&texts, &RunResources::default());
    let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
    let outputs = kvrules::compile_targets(kvrules::all_targets(), &request).unwrap();
    let report = LossReport::new(&[], &outputs, &LossPolicy::default());
    let document = document_of(&policy());
    let rows = page_rows(&document.resources[0]);
    let markdown = &render_document(&MARKDOWN, &document, &[]).unwrap()[1].text;
    let mut compared = 0;
    assert_eq!(report.sets.len(), 2);
    for (set, version) in report.sets.iter().zip(&versions) {
        assert!(set.name.contains(&version.plural), "{}", set.name);
        for rule in &set.rules {
            let shown = rule.name.strip_prefix("spec.validations[").and_then(|rest| rest.strip_suffix(']'));
            let Some(index) = shown.and_then(|index| index.parse::<usize>().ok()) else { continue };
            let title = format!("Validation {}", index + 1);
            let row = rows.get(&title).or_else(|| rows.get(&format!("{title}: {}", version.kind))).unwrap();
            let claims = rule.targets.iter().map(|(target, claim)| (target.clone(), claim.fidelity));
            assert_eq!(*row, claims.collect::<Row>(), "{title} {}", version.kind);
            for cause in rule.targets.values().filter_map(|claim| claim.cause.as_ref()) {
                assert!(markdown.contains(cause.as_str()), "{cause}\n{markdown}");
            }
            compared += row.len();
        }
    }
    assert_eq!(compared, 2 * 4 * 2, "{rows:?}");
    assert!(rows["Validation 3"].values().all(|claim| *claim == "unsupported"), "{rows:?}");
    assert!(rows["Validation 2: Pod"].values().all(|claim| *claim == "exact"), "{rows:?}");
    let lines = "- Validation 1 for `Pod`\n";
    assert!(markdown.contains(lines), "{markdown}");
}
