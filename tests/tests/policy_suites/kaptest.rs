//! kaptest: a file of tests beside each policy. Its runner asks each policy about each object, whatever it matches.

use std::path::Path;

use serde_json::{Value, json};

use super::{Tally, binding, documents, find_files, items, of_kind, request, shared, text, verdict};

/// The object that a test names.
pub(super) fn named(resources: &[Value], wanted: &Value) -> Value {
    let is_it = |it: &&Value| {
        let own = &it["metadata"];
        (wanted["kind"].is_null() || it["kind"] == wanted["kind"])
            && own["name"] == wanted["name"]
            && (wanted["namespace"].is_null() || own["namespace"] == wanted["namespace"])
    };
    if wanted.is_null() { Value::Null } else { resources.iter().find(is_it).unwrap().clone() }
}

/// True if a verdict is as expected: a validation that is never reached admits, and an error is a denial that reports
/// it.
fn agrees(expected: &str, verdict: &str) -> bool {
    let is_error = verdict.contains(" resulted in error: ");
    match expected {
        "admit" | "skip" => verdict == "allow",
        "deny" => verdict.starts_with("deny: ") && !is_error,
        "error" => verdict.starts_with("deny: ") && is_error,
        _ => false,
    }
}

fn run(policy: &Value, resources: &[Value], test: &Value) -> String {
    let mut policy = policy.clone();
    policy["spec"].as_object_mut().unwrap().remove("matchConstraints");
    let mut request = request(&named(resources, &test["object"]), &named(resources, &test["oldObject"]));
    let is_namespace =
        |it: &&Value| it["kind"] == "Namespace" && it["metadata"]["name"] == *request.namespace;
    request.namespace_object = resources.iter().find(is_namespace).cloned().unwrap_or_default();
    let user = &test["userInfo"];
    request.extra["userInfo"] = json!({"username": user["name"], "groups": user["groups"]});
    let param = named(resources, &test["param"]);
    let name = param["metadata"]["name"].as_str();
    if let Some(name) = name {
        request.params.push((name.to_owned(), param.clone()));
    }
    let mut binding = binding(text(&policy["metadata"]["name"]), name);
    if let Some(namespace) = param["metadata"]["namespace"].as_str() {
        binding["spec"]["paramRef"]["namespace"] = namespace.into();
    }
    verdict(&[&policy], &[&binding], &request)
}

fn run_file(path: &Path, tally: &mut Tally) {
    let folder = path.parent().unwrap();
    let manifest = documents(path).remove(0);
    let read = |list: &str| -> Vec<Value> {
        items(&manifest[list]).flat_map(|name| documents(&folder.join(text(name)))).collect()
    };
    let (policies, resources) = (read("validatingAdmissionPolicies"), read("resources"));
    let policies = of_kind(&policies, "ValidatingAdmissionPolicy");
    for suite in items(&manifest["testSuites"]) {
        let policy = policies.iter().find(|it| it["metadata"]["name"] == suite["policy"]).unwrap();
        for test in items(&suite["tests"]) {
            let verdict = run(policy, &resources, test);
            let difference = format!("found {verdict}");
            tally.add(
                &format!("{}: {test}", path.display()),
                agrees(text(&test["expect"]), &verdict),
                &difference,
            );
        }
    }
}

#[test]
fn tests_of_kaptest_agree() {
    let Some(folder) = shared("kaptest") else { return };
    let mut tally = Tally::default();
    for path in find_files(&folder, "/kaptest.yaml") {
        run_file(&path, &mut tally);
    }
    tally.finish("kaptest", 27, 0);
}
