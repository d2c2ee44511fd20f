//! Gatekeeper's library: constraint templates with the engine `K8sNativeValidation`.

use std::path::Path;

use serde_json::{Value, json};

use super::{Tally, binding, document, find_files, items, plural, refusals, request, shared, text, verdict};

/// Returns the variables that the engine puts before those of a template.
fn given() -> [Value; 2] {
    let any =
        r#"has(request.operation) && request.operation == "DELETE" && object == null ? oldObject : object"#;
    let params = "!has(params.spec) ? null : !has(params.spec.parameters) ? null : params.spec.parameters";
    [json!({"name": "anyObject", "expression": any}), json!({"name": "params", "expression": params})]
}

/// A template as a ValidatingAdmissionPolicy with the constraint as its parameter.
fn restated(template: &Value, constraint: &Value) -> Option<Value> {
    let code =
        items(&template["spec"]["targets"][0]["code"]).find(|it| it["engine"] == "K8sNativeValidation")?;
    let source = &code["source"];
    let variables: Vec<_> = given().into_iter().chain(items(&source["variables"]).cloned()).collect();
    let kinds = items(&constraint["spec"]["match"]["kinds"]);
    let rules: Vec<_> = kinds
        .map(|kind| {
            let resources: Vec<_> = items(&kind["kinds"]).map(|it| plural(text(it))).collect();
            json!({"apiGroups": kind["apiGroups"], "apiVersions": ["*"], "operations": ["*"], "resources": resources})
        })
        .collect();
    Some(json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": template["metadata"]["name"]},
        "spec": {
            "paramKind": {"apiVersion": constraint["apiVersion"], "kind": constraint["kind"]},
            "matchConstraints": {"resourceRules": rules},
            "variables": variables,
            "validations": source["validations"],
        },
    }))
}

fn run_case(folder: &Path, policy: &Value, constraint: &Value, case: &Value) -> String {
    let given = document(&folder.join(text(&case["object"])));
    let mut request = if given["kind"] == "AdmissionReview" {
        let requested = &given["request"];
        let mut request = request(&requested["object"], &requested["oldObject"]);
        request.operation = text(&requested["operation"]).to_owned();
        request
    } else {
        request(&given, &Value::Null)
    };
    if request.namespace.is_empty() && request.resource != "namespaces" {
        request.namespace = "default".to_owned();
    }
    request.namespace_object = json!({"metadata": {"name": request.namespace}});
    request.params.push(("constraint".to_owned(), constraint.clone()));
    let binding = binding(text(&policy["metadata"]["name"]), Some("constraint"));
    verdict(&[policy], &[&binding], &request)
}

#[test]
fn suites_of_gatekeeper_agree() {
    let Some(folder) = shared("gatekeeper") else { return };
    let mut tally = Tally::default();
    for path in find_files(&folder, "suite.yaml") {
        let folder = path.parent().unwrap();
        for test in items(&document(&path)["tests"]) {
            let template = document(&folder.join(text(&test["template"])));
            let constraint = document(&folder.join(text(&test["constraint"])));
            let policy = restated(&template, &constraint).unwrap();
            assert_eq!(refusals(&policy), [""; 0], "{}", path.display());
            for case in items(&test["cases"]) {
                let none = |it: &Value| [json!(false), json!("no"), json!(0)].contains(&it["violations"]);
                let expected = if items(&case["assertions"]).all(none) { "allow" } else { "deny" };
                let name = format!("{} {} {}", path.display(), test["name"], case["name"]);
                tally.compare(&name, expected, &run_case(folder, &policy, &constraint, case));
            }
        }
    }
    tally.finish("gatekeeper", 30, 0);
}
