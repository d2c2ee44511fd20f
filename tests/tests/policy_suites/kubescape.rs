//! Kubescape: a policy for each control, with objects that are edited before they are created.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    Tally, document, documents, find_files, items, of_kind, refusals, request, shared, text, verdict,
};

/// Kinds that have no namespace, among those of the suite.
const CLUSTER: [&str; 4] = ["ClusterRole", "ClusterRoleBinding", "Namespace", "PersistentVolume"];

/// Puts a value where a path such as `spec.containers.[0].image` leads. What is not there yet becomes an object.
fn put(object: &mut Value, path: &str, value: Value) {
    let mut place = object;
    for part in path.split('.') {
        let index = part.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        place = match index {
            Some(index) => &mut place[index.parse::<usize>().unwrap()],
            None => &mut place[part],
        };
    }
    *place = value;
}

/// The object of a test as `kubectl apply` sends it.
pub(super) fn object(folder: &Path, test: &Value) -> Value {
    let mut object = document(&folder.join("test-resources").join(text(&test["template"])));
    for change in items(&test["field_change_list"]) {
        let (path, value) = text(change).split_once('=').unwrap();
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        put(&mut object, path, value);
    }
    if object["metadata"]["namespace"].is_null() && !CLUSTER.contains(&text(&object["kind"])) {
        object["metadata"]["namespace"] = "default".into();
    }
    object
}

pub(super) fn expected(test: &Value) -> &'static str {
    match text(&test["expected"]) {
        "pass" => "allow",
        "warn" => "warn",
        _ => "deny",
    }
}

#[test]
fn tests_of_kubescape_agree() {
    let Some(folder) = shared("kubescape") else { return };
    let configuration = document(&folder.join("test-resources/default-control-configuration.yaml"));
    let mut tally = Tally::default();
    for path in find_files(&folder.join("controls"), "policy.yaml") {
        let control = path.parent().unwrap();
        let policies = documents(&path);
        let policies = of_kind(&policies, "ValidatingAdmissionPolicy");
        let tests: Value =
            serde_json::from_str(&std::fs::read_to_string(control.join("tests.json")).unwrap()).unwrap();
        for test in items(&tests) {
            let template = test["binding_template"].as_str().unwrap_or("policy-binding.yaml");
            let mut binding = document(&folder.join("test-resources").join(template));
            binding["spec"]["policyName"] = policies[0]["metadata"]["name"].clone();
            let mut request = request(&object(&folder, test), &Value::Null);
            request.params.push(("placeholder".to_owned(), configuration.clone()));
            request.namespace_object = json!({"metadata": {"name": request.namespace}});
            let name = format!("{} {}", control.file_name().unwrap().display(), test["name"]);
            tally.compare(&name, expected(test), &verdict(&policies, &[&binding], &request));
        }
    }
    tally.finish("kubescape", 293, 0);
}

#[test]
fn policies_of_kubescape_are_accepted() {
    let Some(folder) = shared("kubescape/controls") else { return };
    let mut accepted = 0;
    for path in find_files(&folder, "policy.yaml") {
        for policy in of_kind(&documents(&path), "ValidatingAdmissionPolicy") {
            assert_eq!(refusals(policy), [""; 0], "{}", path.display());
            accepted += 1;
        }
    }
    println!("kubescape: {accepted} policies are accepted");
    assert!(accepted >= 28);
}
