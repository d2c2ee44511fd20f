//! Admission policies against the recorded answers of a real API server.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod table;

use kvrules_apiserver::policy::acceptance::{
    PolicyRejection, binding_warnings, policy_warnings, review_binding, review_binding_update, review_policy,
    review_policy_update,
};
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use serde_json::{Value as Json, json};

#[test]
fn requests_are_answered_as_the_server_answers_them() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let (mut agreed, mut total, mut refused) = (0, 0, Vec::new());
    let mut differences = Vec::new();
    for case in &cases {
        if case["kind"] != "runtime" {
            continue;
        }
        for (vm, expect) in
            case["vms"].as_array().unwrap().iter().zip(case["expect"]["vms"].as_array().unwrap())
        {
            total += 1;
            let name = format!("{} {}", case["id"], expect["name"]);
            match answer(case, vm) {
                Err(what) => refused.push(format!("{name}: {what}")),
                Ok(ours) if ours == recorded(expect) => agreed += 1,
                Ok(ours) => {
                    differences.push(format!("{name}\n  ours   {ours}\n  server {}", recorded(expect)));
                }
            }
        }
    }
    println!("policy on machine: agreed {agreed}/{total}, refused by name {}", refused.len());
    for line in refused.iter().chain(&differences) {
        println!("{line}");
    }
    assert!(differences.is_empty(), "{} differences", differences.len());
}

#[test]
fn the_example_policies_answer_as_recorded() {
    let Some(results) = kvrules_testdata::read_value("kubernetes/vap-example/results.json") else { return };
    let documents = example_documents();
    let of_kind = |kind: &'static str| documents.iter().filter(move |it| it["kind"] == kind);
    let policies: Vec<Policy> = of_kind("ValidatingAdmissionPolicy").map(Policy::from_json).collect();
    let bindings: Vec<Binding> =
        of_kind("ValidatingAdmissionPolicyBinding").map(Binding::from_json).collect();
    assert_eq!((policies.len(), bindings.len()), (2, 2));
    let (mut agreed, mut total, mut schema) = (0, 0, 0);
    for row in results["vms"].as_array().unwrap() {
        let message = row["server"]["message"].as_str().unwrap_or_default();
        if row["server"]["code"] != 201 && !message.contains("ValidatingAdmissionPolicy") {
            schema += 1; // refused by the schema before any policy is asked
            continue;
        }
        total += 1;
        let mut vm = without_nulls(&row["vm"]);
        vm["metadata"]["name"] = "vm1".into();
        let request = Request::for_creation("kubevirt.io", "virtualmachines", vm);
        let ours = shown(&admit_request(&policies, &bindings, &request).unwrap());
        let server = &row["server"];
        let same = ours["code"] == server["code"]
            && ours["message"] == server["message"]
            && ours["warnings"] == server["warnings"];
        if same {
            agreed += 1;
        } else {
            println!("{}\n  ours   {ours}\n  server {server}", row["name"]);
        }
    }
    println!("example policies: agreed {agreed}/{total}, refused by the schema {schema}");
    assert_eq!(agreed, total);
}

/// The documents of the two files.
fn example_documents() -> Vec<Json> {
    ["policy-deny.yaml", "policy-warn.yaml"]
        .iter()
        .flat_map(|file| {
            let text = kvrules_testdata::read_text(&format!("kubernetes/vap-example/{file}")).unwrap();
            text.split("\n---\n").map(|part| serde_yaml::from_str(part).unwrap()).collect::<Vec<Json>>()
        })
        .collect()
}

#[test]
fn documents_are_accepted_and_refused_as_recorded() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let (mut agreed, mut total) = (0, 0);
    for case in &cases {
        let refusals = match case["kind"].as_str().unwrap() {
            "policy" => review_policy(&case["doc"]),
            "binding" => review_binding(&case["doc"]),
            _ => continue,
        };
        total += 1;
        let mut recorded: Vec<PolicyRejection> =
            case["expect"]["causes"].as_array().into_iter().flatten().map(refusal).collect();
        recorded.sort();
        if refusals == recorded && case["expect"]["accepted"] == recorded.is_empty() {
            agreed += 1;
        } else {
            println!("{}\n  ours   {refusals:?}\n  server {recorded:?}", case["id"]);
        }
    }
    println!("policy and binding documents: agreed {agreed}/{total}");
    assert_eq!(agreed, total);
}

/// A policy or a binding that the server accepts, by the class of a row.
fn accepted(class: &str) -> Json {
    let version = "admissionregistration.k8s.io/v1";
    if class.starts_with("binding") {
        return json!({
            "apiVersion": version, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "binding"},
            "spec": {"policyName": "policy.example.com", "validationActions": ["Deny"]},
        });
    }
    json!({
        "apiVersion": version, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "policy.example.com"},
        "spec": {
            "matchConstraints": {"resourceRules": [{
                "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"],
            }]},
            "validations": [{"expression": "object.spec.replicas <= 5"}],
        },
    })
}

#[test]
fn neighbours_of_the_recorded_policies_are_answered_as_the_source_of_the_server_says() {
    let counts = table::hold(include_str!("policies/neighbours.txt"), accepted, |class, new, old| {
        let review = if class.starts_with("binding") { review_binding_update } else { review_policy_update };
        let shown = |refusal: &PolicyRejection| match refusal.field.as_str() {
            "" => format!("{}: {}", refusal.reason, refusal.message),
            field => format!("{field}: {}", refusal.message),
        };
        review(new, old).iter().map(shown).collect()
    });
    println!("{counts:?}");
    let of_binding = |class: &str| class.starts_with("binding/");
    assert!(counts.iter().all(|(class, count)| *count >= 20 || of_binding(class)), "{counts:?}");
    assert!(counts.values().sum::<usize>() > 250);
}

#[test]
fn unknown_fields_of_policies_and_bindings_are_dropped_with_a_warning() {
    let mut policy = accepted("policy");
    policy["spec"]["matchConstraints"]["resourceRules"][0]["verbs"] = json!(["CREATE"]);
    policy["spec"]["matchCondition"] = json!([]);
    policy["metadata"]["label"] = json!({});
    let mut warnings = policy_warnings(&policy);
    warnings.sort();
    let expected = ["metadata.label", "spec.matchCondition", "spec.matchConstraints.resourceRules[0].verbs"];
    assert_eq!(warnings, expected.map(|field| format!("unknown field {field:?}")));
    assert!(review_policy(&policy).is_empty());
    let mut binding = accepted("binding");
    binding["spec"]["paramRef"] =
        json!({"name": "a", "parameterNotFoundAction": "Deny", "kind": "ConfigMap"});
    binding["status"] = json!({});
    let mut warnings = binding_warnings(&binding);
    warnings.sort();
    assert_eq!(warnings, ["spec.paramRef.kind", "status"].map(|field| format!("unknown field {field:?}")));
    assert!(review_binding(&binding).is_empty());
}

fn refusal(cause: &Json) -> PolicyRejection {
    let text = |name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    PolicyRejection { field: text("field"), reason: text("reason"), message: text("message") }
}

fn answer(case: &Json, vm: &Json) -> Result<Json, String> {
    // A policy that is refused does nothing.
    let accepted = case["expect"]["policy"]["accepted"] != false;
    let policies = if accepted { vec![Policy::from_json(&case["policy"])] } else { Vec::new() };
    let request = Request::for_creation("kubevirt.io", "virtualmachines", without_nulls(vm));
    let answer = admit_request(&policies, &[Binding::from_json(&case["binding"])], &request)
        .map_err(|it| it.to_string())?;
    Ok(shown(&answer))
}

fn shown(answer: &kvrules_apiserver::policy::PolicyAnswer) -> Json {
    let denial = answer.denial.as_ref();
    serde_json::json!({
        "accepted": denial.is_none(),
        "code": denial.map_or(201, |it| it.code),
        "reason": denial.map(|it| it.reason.clone()),
        "message": denial.map(|it| it.message.clone()),
        "warnings": answer.warnings,
    })
}

fn recorded(expect: &Json) -> Json {
    serde_json::json!({
        "accepted": expect["accepted"],
        "code": expect["code"],
        "reason": expect["reason"],
        "message": expect["message"],
        "warnings": expect["warnings"].as_array().cloned().unwrap_or_default(),
    })
}

/// The server prunes nulls of fields that are not nullable before policies are asked.
fn without_nulls(json: &Json) -> Json {
    match json {
        Json::Object(fields) => Json::Object(
            fields
                .iter()
                .filter(|(_, it)| !it.is_null())
                .map(|(name, it)| (name.clone(), without_nulls(it)))
                .collect(),
        ),
        Json::Array(items) => Json::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// An expression that costs a little less than a call may: a hundredth of the square of the length of [`text`].
const EXPENSIVE: &str = "object.s.contains(object.s)";

fn text() -> String {
    "a".repeat(9_500)
}

#[test]
fn audit_annotations_have_a_budget_of_their_own() {
    let annotation = |index: usize| json!({"key": format!("k{index}"), "valueExpression": format!("{EXPENSIVE} ? 'x' : 'y'")});
    let answer = |annotations: usize, actions: &[&str]| {
        let validation = json!({"expression": EXPENSIVE});
        let mut validations = vec![validation; 8];
        validations.push(json!({"expression": "false", "message": "no"}));
        let policy = json!({"metadata": {"name": "p"}, "spec": {
            "validations": validations,
            "auditAnnotations": (0..annotations).map(annotation).collect::<Vec<_>>(),
        }});
        let binding =
            json!({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": actions}});
        let object = json!({"apiVersion": "v1", "kind": "Pond", "metadata": {"name": "o"}, "s": text()});
        let request = Request::for_creation("", "ponds", object);
        let (policy, binding) = (Policy::from_json(&policy), Binding::from_json(&binding));
        shown(&admit_request(&[policy], &[binding], &request).unwrap()).to_string()
    };
    // Validations and annotations together cost more than one budget, but each of them costs less.
    let denied = answer(8, &["Deny"]);
    assert!(denied.contains("no") && !denied.contains("cost budget"), "{denied}");
    // The error of annotations replaces the failed validation, and is subject to the actions of the binding.
    let denied = answer(12, &["Deny"]);
    assert!(
        denied.contains("running out of cost budget") && !denied.contains("denied request: no"),
        "{denied}"
    );
    let warned = answer(12, &["Warn"]);
    assert!(warned.contains("running out of cost budget") && warned.contains("\"warnings\":["), "{warned}");
}
