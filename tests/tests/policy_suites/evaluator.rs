//! The suites through the evaluator that `kvrules eval --engine policy` uses: documents in files instead of values.

use kvrules::eval::{
    AllowedAction, DeclaredResource, Engine, Evaluation, Evaluator, Options, PolicyFile, PolicyFileRole,
    PolicyRules, RequestSetup, RequestUser, StoredObjects,
};
use kvrules::{FileId, SourceFile};
use serde_json::{Value, json};

use super::kubescape;
use super::{Tally, document, documents, find_files, items, of_kind, shared, text};

/// A file with documents.
fn file(name: &str, documents: &[&Value]) -> SourceFile {
    let texts: Vec<_> = documents.iter().map(|document| document.to_string()).collect();
    SourceFile::new(FileId(0), name, texts.join("\n---\n"))
}

/// Returns the result for an object, or the first reason why the documents are refused.
fn evaluate(
    files: &[(PolicyFileRole, &[&Value])],
    setup: RequestSetup,
    (object, old): (&Value, &Value),
) -> Result<Evaluation, String> {
    let sources: Vec<_> =
        files.iter().map(|(role, documents)| (*role, file("rules.yaml", documents))).collect();
    let files: Vec<_> =
        sources.iter().map(|(role, source)| PolicyFile { source, role: *role, is_searched: false }).collect();
    let refused = |faults: Vec<kvrules::Diagnostic>| faults[0].message.clone();
    let rules = PolicyRules::read_files(&files, setup).map_err(refused)?;
    let stored =
        (!old.is_null()).then(|| StoredObjects::read_objects(&file("old.yaml", &[old])).unwrap().into());
    let options =
        Options { engine: Engine::Policy, policies: Some(rules.into()), stored, ..Options::default() };
    Ok(Evaluator::new(options).evaluate_objects(&file("object.json", &[object])).remove(0))
}

/// The answer about a row as the server gives it.
fn answer(evaluation: &Evaluation) -> Value {
    assert!(evaluation.fault.is_none(), "{:?}", evaluation.fault);
    let answer = evaluation.policy.as_ref().unwrap();
    let denial = answer.denial.as_ref();
    json!({
        "accepted": !evaluation.is_rejected(),
        "code": denial.map_or(201, |it| it.status),
        "reason": denial.map(|it| it.reason.clone()),
        "message": denial.map(|it| it.message.clone()),
        "warnings": answer.warnings,
    })
}

#[test]
fn recorded_answers_about_machines_agree() {
    let Some(cases) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let everything = AllowedAction::parse_action("* *").unwrap();
    let (mut agreed, mut policies_refused) = (0, 0);
    for case in cases.iter().filter(|case| case["kind"] == "runtime") {
        let rules: [&Value; 2] = [&case["policy"], &case["binding"]];
        let files = [(PolicyFileRole::Rules, rules.as_slice())];
        let answers = case["expect"]["vms"].as_array().unwrap();
        for (vm, expect) in items(&case["vms"]).zip(answers) {
            // The user of the recorded requests may do everything.
            let allowed = Some(vec![everything.clone()]);
            let setup = RequestSetup { allowed, has_all_params: true, ..RequestSetup::default() };
            let ours = evaluate(&files, setup, (vm, &Value::Null));
            if case["expect"]["policy"]["accepted"] == false {
                assert!(ours.is_err(), "{}", case["id"]);
                policies_refused += 1;
                continue;
            }
            let recorded = json!({
                "accepted": expect["accepted"],
                "code": expect["code"],
                "reason": expect["reason"],
                "message": expect["message"],
                "warnings": items(&expect["warnings"]).collect::<Vec<_>>(),
            });
            assert_eq!(answer(&ours.unwrap()), recorded, "{} {}", case["id"], expect["name"]);
            agreed += 1;
        }
    }
    println!("recorded answers: {agreed} agree, {policies_refused} of policies that are refused");
    assert_eq!((agreed, policies_refused), (420, 4));
}

/// Returns a verdict as suites write it.
fn verdict(evaluated: Result<Evaluation, String>) -> String {
    let evaluation = match evaluated {
        Ok(evaluation) => evaluation,
        Err(message) => return format!("unknown: {message}"),
    };
    let answer = match (&evaluation.fault, &evaluation.policy) {
        (Some(fault), _) => return format!("unknown: {}", fault.message),
        (None, Some(answer)) => answer,
        (None, None) => return "deny: by its definition".to_owned(),
    };
    match &answer.denial {
        Some(denial) => format!("deny: {}", denial.message),
        None if answer.warnings.is_empty() => "allow".to_owned(),
        None => "warn".to_owned(),
    }
}

#[test]
fn tests_of_kubescape_agree_in_files() {
    let Some(folder) = shared("kubescape") else { return };
    let definition = document(&folder.join("configuration/policy-configuration-definition.yaml"));
    let mut configuration = document(&folder.join("test-resources/default-control-configuration.yaml"));
    configuration["metadata"]["name"] = "placeholder".into();
    let mut tally = Tally::default();
    for path in find_files(&folder.join("controls"), "policy.yaml") {
        let control = path.parent().unwrap();
        let policies = documents(&path);
        let policy = of_kind(&policies, "ValidatingAdmissionPolicy")[0];
        let uses_params = policy["spec"]["paramKind"].is_object();
        let tests: Value =
            serde_json::from_str(&std::fs::read_to_string(control.join("tests.json")).unwrap()).unwrap();
        for test in items(&tests) {
            let template = test["binding_template"].as_str().unwrap_or("policy-binding.yaml");
            let mut binding = document(&folder.join("test-resources").join(template));
            binding["spec"]["policyName"] = policy["metadata"]["name"].clone();
            let object = kubescape::object(&folder, test);
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
                "metadata": {"name": object["metadata"]["namespace"]}});
            let mut rules = vec![policy, &binding, &definition];
            rules.extend(namespace["metadata"]["name"].is_string().then_some(&namespace));
            let files =
                [(PolicyFileRole::Rules, rules.as_slice()), (PolicyFileRole::Parameters, &[&configuration])];
            let given = if uses_params { files.as_slice() } else { &files[..1] };
            let verdict = verdict(evaluate(given, RequestSetup::default(), (&object, &Value::Null)));
            let name = format!("{} {}", control.file_name().unwrap().display(), test["name"]);
            tally.compare(&name, kubescape::expected(test), &verdict);
        }
    }
    tally.finish("kubescape in files", 293, 0);
}

#[test]
fn tests_of_kaptest_agree_in_files() {
    let Some(folder) = shared("kaptest") else { return };
    let mut tally = Tally::default();
    for path in find_files(&folder, "/kaptest.yaml") {
        let folder = path.parent().unwrap();
        let manifest = documents(&path).remove(0);
        let read = |list: &str| -> Vec<Value> {
            items(&manifest[list]).flat_map(|name| documents(&folder.join(text(name)))).collect()
        };
        let (policies, resources) = (read("validatingAdmissionPolicies"), read("resources"));
        for suite in items(&manifest["testSuites"]) {
            let policies = of_kind(&policies, "ValidatingAdmissionPolicy");
            let policy = policies.iter().find(|it| it["metadata"]["name"] == suite["policy"]).unwrap();
            for test in items(&suite["tests"]) {
                let (expected, verdict) = (text(&test["expect"]), run_kaptest(policy, &resources, test));
                let expected = match expected {
                    "admit" | "skip" => "allow",
                    _ => "deny",
                };
                tally.compare(&format!("{}: {test}", path.display()), expected, &verdict);
            }
        }
    }
    // Two policies add numbers to texts, which a server rejects.
    tally.finish("kaptest in files", 23, 4);
}

fn run_kaptest(policy: &Value, resources: &[Value], test: &Value) -> String {
    let named = |wanted: &Value| super::kaptest::named(resources, wanted);
    let (object, mut old, param) = (named(&test["object"]), named(&test["oldObject"]), named(&test["param"]));
    if !object.is_null() && !old.is_null() {
        old["metadata"]["name"] = object["metadata"]["name"].clone();
    }
    // The runner evaluates a policy whatever it matches.
    let mut policy = policy.clone();
    policy["metadata"]["name"] = "policy.example.com".into();
    policy["spec"]["matchConstraints"] = json!({"resourceRules": [
        {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
    ]});
    let is_namespace = |it: &&Value| it["kind"] == "Namespace" && object["kind"] != "Namespace";
    let rules: Vec<_> = std::iter::once(&policy).chain(resources.iter().filter(is_namespace)).collect();
    let params = [&param];
    let mut files = vec![(PolicyFileRole::Rules, rules.as_slice())];
    if !param.is_null() {
        files.push((PolicyFileRole::Parameters, &params));
    }
    let groups = items(&test["userInfo"]["groups"]).map(|it| text(it).to_owned()).collect();
    let user = RequestUser { name: text(&test["userInfo"]["name"]).to_owned(), groups };
    let operation = object.is_null().then_some(kvrules::eval::RequestOperation::Delete);
    let proxies = DeclaredResource::parse_declaration("HTTPProxy.projectcontour.io=httpproxies").unwrap();
    let setup =
        RequestSetup { user: Some(user), operation, resources: vec![proxies], ..RequestSetup::default() };
    let (object, old) = if object.is_null() { (&old, &Value::Null) } else { (&object, &old) };
    verdict(evaluate(&files, setup, (object, old)))
}
