//! Kyverno: ValidatingAdmissionPolicies, and ValidatingPolicies whose expressions are plain CEL.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    Tally, binding, documents, find_files, items, of_kind, plural, refusals, request, shared, text, verdict,
};

/// CEL additions of Kyverno's runners, which identify such policies.
const LIBRARIES: [&str; 7] =
    ["resource.Get", "http.", "image(", "image.Get", "images.", "globalContext.", "time.now"];

/// A ValidatingPolicy as a ValidatingAdmissionPolicy: the fields of both have the same names.
fn restated(policy: &Value) -> Value {
    let mut spec = json!({});
    for field in [
        "failurePolicy",
        "matchConstraints",
        "matchConditions",
        "variables",
        "validations",
        "auditAnnotations",
    ] {
        if !policy["spec"][field].is_null() {
            spec[field] = policy["spec"][field].clone();
        }
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": policy["metadata"]["name"]},
        "spec": spec,
    })
}

/// The features of Kyverno's own that a policy uses.
fn own_features(policy: &Value) -> Vec<&'static str> {
    let text = policy["spec"].to_string();
    LIBRARIES.into_iter().filter(|library| text.contains(library)).collect()
}

/// True if a rule of a policy is about a kind itself, not about a kind that makes Pods, to which Kyverno adds rules.
fn is_about(policy: &Value, kind: &str) -> bool {
    let wanted = plural(kind);
    let rules = items(&policy["spec"]["matchConstraints"]["resourceRules"]);
    let mut resources = rules.flat_map(|rule| items(&rule["resources"]));
    resources.any(|it| *it == *wanted || *it == "*" || *it == "*/*")
}

fn named<'a>(resources: &'a [Value], kind: &Value, name: &str) -> Option<&'a Value> {
    let (namespace, name) = name.split_once('/').map_or((None, name), |(it, name)| (Some(it), name));
    resources.iter().find(|it| {
        (kind.is_null() || it["kind"] == *kind)
            && it["metadata"]["name"] == name
            && namespace.is_none_or(|namespace| in_namespace(it)["metadata"]["namespace"] == namespace)
    })
}

/// An object without a namespace is in `default`, as for Kyverno's runner.
fn in_namespace(object: &Value) -> Value {
    let mut object = object.clone();
    if object["metadata"]["namespace"].is_null() && !text(&object["kind"]).starts_with("Cluster") {
        object["metadata"]["namespace"] = "default".into();
    }
    object
}

fn run_file(path: &Path, tally: &mut Tally) {
    let folder = path.parent().unwrap();
    let test = documents(path).remove(0);
    let read = |list: &str| -> Vec<Value> {
        items(&test[list]).flat_map(|name| documents(&folder.join(text(name)))).collect()
    };
    let (documents, resources) = (read("policies"), read("resources"));
    let name = text(&test["metadata"]["name"]);
    for result in items(&test["results"]) {
        let is_its =
            |it: &&Value| it["metadata"]["name"] == result["policy"] && text(&it["kind"]).ends_with("Policy");
        let Some(policy) = documents.iter().find(is_its) else {
            tally.left_out.push(format!("{name}: the policy is not there"));
            continue;
        };
        let own = own_features(policy);
        let mut bindings: Vec<Value> =
            of_kind(&documents, "ValidatingAdmissionPolicyBinding").into_iter().cloned().collect();
        if bindings.is_empty() {
            bindings.push(binding(text(&result["policy"]), None));
        }
        let bindings: Vec<&Value> = bindings.iter().collect();
        for resource in items(&result["resources"]) {
            let title = format!("{name}: {resource}");
            let object = named(&resources, &result["kind"], text(resource));
            let reason = match object {
                None => Some("the object is not there".to_owned()),
                _ if !own.is_empty() => Some(format!("needs {own:?}")),
                _ if !test["variables"].is_null() => Some("needs values".to_owned()),
                Some(object) if !is_about(policy, text(&object["kind"])) => {
                    Some("by a rule that Kyverno adds".to_owned())
                }
                Some(_) => None,
            };
            let (None, Some(object)) = (&reason, object) else {
                tally.left_out.push(format!("{title}: {}", reason.unwrap_or_default()));
                continue;
            };
            let mut request = request(&in_namespace(object), &Value::Null);
            request.namespace_object = json!({"metadata": {"name": request.namespace}});
            let verdict = verdict(&[&restated(policy)], &bindings, &request);
            let expected = if result["result"] == "fail" { "deny" } else { "allow" };
            tally.compare(&title, expected, &verdict);
        }
    }
}

#[test]
fn tests_of_kyverno_agree() {
    let Some(folder) = shared("kyverno") else { return };
    let mut tally = Tally::default();
    find_files(&folder, "kyverno-test.yaml").iter().for_each(|path| run_file(path, &mut tally));
    tally.finish("kyverno", 3, 0);
}

#[test]
fn tests_of_kyvernos_policies_agree() {
    let Some(folder) = shared("kyverno-policies") else { return };
    let mut tally = Tally::default();
    find_files(&folder, "kyverno-test.yaml").iter().for_each(|path| run_file(path, &mut tally));
    tally.finish("kyverno policies", 148, 75);
}

#[test]
fn plain_policies_of_kyverno_are_accepted() {
    let Some(folder) = shared("kyverno-policies") else { return };
    let (mut accepted, mut own) = (0, 0);
    let mut refused = Vec::new();
    for path in find_files(&folder, ".yaml") {
        for policy in of_kind(&documents(&path), "ValidatingPolicy") {
            if own_features(policy).is_empty() {
                refused
                    .extend(refusals(&restated(policy)).iter().map(|it| format!("{}: {it}", path.display())));
                accepted += 1;
            } else {
                own += 1;
            }
        }
    }
    println!("kyverno policies: {accepted} are plain CEL and accepted, {own} need Kyverno's own libraries");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert_eq!((accepted, own), (35, 4));
}
