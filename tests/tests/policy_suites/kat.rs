//! kat: the name of a file says which policy, which test, and what is expected.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kvrules_apiserver::policy::{AuthorizationCheck, AuthorizationSource, Request};
use serde_json::{Value, json};

use super::{Tally, document, documents, find_files, items, of_kind, request, shared, text, verdict};

/// The decisions of an authorizer, by the attributes of the checks.
#[derive(Debug)]
struct Decisions(Value);

impl AuthorizationSource for Decisions {
    fn allows_action(&self, check: &AuthorizationCheck) -> bool {
        let is_it = |it: &&Value| {
            let fields = [
                ("group", &check.group),
                ("resource", &check.resource),
                ("subresource", &check.subresource),
                ("namespace", &check.namespace),
                ("verb", &check.verb),
            ];
            fields.iter().all(|(name, value)| text(&it[name]) == *value)
        };
        items(&self.0).find(is_it).is_some_and(|it| it["decision"] == "allow")
    }
}

/// Contents of the files of a test, by the last part of their names: `object`, `request`, …
type Parts = BTreeMap<String, Value>;

/// The tests of a folder, by name.
fn tests(folder: &Path) -> BTreeMap<String, Parts> {
    let mut tests: BTreeMap<String, Parts> = BTreeMap::new();
    for path in find_files(&folder.join("tests"), ".yaml") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (name, part) = name.rsplit_once('.').unwrap();
        tests.entry(name.to_owned()).or_default().insert(part.to_owned(), document(&path));
    }
    tests
}

/// `allow` unless the name says otherwise; what only the audit log has is allowed.
fn expected(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("deny") => "deny",
        Some("warn") => "warn",
        _ => "allow",
    }
}

fn request_of(parts: &Parts, param: Option<&str>) -> Request {
    let part = |name: &str| parts.get(name).cloned().unwrap_or_default();
    let (requested, old) = (part("request"), part("oldObject"));
    let object = if requested["object"].is_null() { part("object") } else { requested["object"].clone() };
    let mut request = request(&object, &old);
    let or = |own: &Value, other: &str| if own.is_null() { other.to_owned() } else { text(own).to_owned() };
    request.operation = or(&requested["operation"], &request.operation);
    request.subresource = or(&requested["subResource"], "");
    request.name = or(&requested["name"], &request.name);
    request.resource = or(&requested["resource"]["resource"], &request.resource);
    request.namespace_object = requested["namespaceObject"].clone();
    // The objects of a test have no namespace, even if its request has one.
    request.namespace = or(&request.namespace_object["metadata"]["name"], &request.namespace);
    request.namespace = or(&requested["namespace"], &request.namespace);
    for field in ["userInfo", "options"] {
        if !requested[field].is_null() {
            request.extra[field] = requested[field].clone();
        }
    }
    if let Some(decisions) = parts.get("authorizer") {
        request.authorizer = Some(Arc::new(Decisions(decisions.clone())));
    }
    if let (Some(name), Some(value)) = (param, parts.get("params")) {
        request.params.push((name.to_owned(), value.clone()));
    }
    request
}

/// The name, the expectation and the verdict of each test below a folder.
fn verdicts(folder: &Path) -> Vec<(String, &'static str, String)> {
    let mut found = Vec::new();
    for path in find_files(folder, "policy.yaml") {
        let folder = path.parent().unwrap();
        let policies = documents(&path);
        let bindings = documents(&folder.join("binding.yaml"));
        let param = bindings[0]["spec"]["paramRef"]["name"].as_str();
        for (name, parts) in tests(folder) {
            let mut bindings = bindings.clone();
            // The parameters of a test apply even if the binding names none.
            if parts.contains_key("params") && param.is_none() {
                bindings[0]["spec"]["paramRef"] = json!({"name": "params"});
            }
            let request = request_of(&parts, param.or(Some("params")));
            let policies = of_kind(&policies, "ValidatingAdmissionPolicy");
            let bindings = of_kind(&bindings, "ValidatingAdmissionPolicyBinding");
            found.push((name.clone(), expected(&name), verdict(&policies, &bindings, &request)));
        }
    }
    found
}

#[test]
fn tests_of_kat_agree() {
    let Some(folder) = shared("kat/test-policies-pass") else { return };
    let mut tally = Tally::default();
    for (name, expected, verdict) in verdicts(&folder) {
        tally.compare(&name, expected, &verdict);
    }
    tally.finish("kat", 38, 0);
}

#[test]
fn tests_of_kat_that_fail_fail_here() {
    let Some(folder) = shared("kat/test-policies-fail") else { return };
    let mut failing = Vec::new();
    for (name, expected, verdict) in verdicts(&folder) {
        if verdict.split(':').next() != Some(expected) {
            failing.push(name);
        }
    }
    println!("kat: {} tests fail as they should", failing.len());
    // The data of the third folder lack the texts of its warnings.
    assert_eq!(failing, ["block-team-ci.allowed-core-infra.allow", "conditional.dev-single-replica.allow"]);
}
