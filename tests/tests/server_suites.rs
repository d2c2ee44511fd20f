//! Suites that other projects wrote for their definitions, and answers recorded of Kubernetes 1.36, held to the library that
//! `kvrules eval --engine crd` asks. They are among the recorded data, and are skipped where they are absent.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::object::{Admission, ObjectSchema};
use kvrules_tests::suites::{find_files, parse_documents};
use serde_json::{Value, json};

fn texts(answer: &Admission) -> Vec<String> {
    answer.errors.iter().map(Failure::to_message).collect()
}

/// Number of agreeing cases, and the others.
#[derive(Default)]
struct Tally {
    agreed: usize,
    differing: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.agreed += 1,
            Err(difference) => self.differing.push(format!("{name}: {difference}")),
        }
    }

    fn finish(self, suite: &str, least: usize) {
        println!("{suite}: {} agree, {} differ", self.agreed, self.differing.len());
        assert!(self.differing.is_empty(), "{}", self.differing.join("\n"));
        assert!(self.agreed >= least, "{suite}: only {} cases", self.agreed);
    }
}

/// A definition and the version that an object names, ready for objects.
fn schema_of(definition: &Value, object: &Value) -> Option<ObjectSchema> {
    let name = object["apiVersion"].as_str()?.rsplit('/').next()?;
    let versions = definition["spec"]["versions"].as_array()?;
    ObjectSchema::of_version(definition, versions.iter().find(|version| version["name"] == name)?)
}

/// The texts of errors as servers before 1.34 wrote them, of which some suites have theirs: of a rule that is false they show the
/// type, and of an object Go's syntax.
fn older_texts(answer: &Admission) -> Vec<String> {
    // The schema of an int-or-string has no type.
    let types = ["object", "array", "string", "integer", "number", "boolean", ""];
    let by_rules = types.iter().flat_map(|ty| {
        let text = move |it: &Failure| format!("{}: Invalid value: \"{ty}\": {}", it.field, it.detail);
        answer.by_rules.iter().map(text)
    });
    let go = |it: &Failure| format!("{}: Duplicate value: map[string]interface {{}}{}", it.field, it.value);
    let null = |it: &Failure| format!("{}: Invalid value: \"null\": {}", it.field, it.detail);
    let null = answer.errors.iter().filter(|it| it.value == "null").map(null);
    by_rules
        .chain(null)
        .chain(answer.errors.iter().filter(|it| it.reason == "FieldValueDuplicate").map(go))
        .collect()
}

fn expect_error(answer: &Admission, expected: &str) -> Result<(), String> {
    // The text before the errors names the invalid object.
    let expected = expected.split_once(" is invalid: ").map_or(expected, |(_, errors)| errors);
    let mut texts = texts(answer);
    texts.extend(older_texts(answer));
    // Each of several errors in brackets must be present.
    if let Some(several) = expected.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        let fields = several.replace(", status.", ", spec.").replace(", <nil>: ", ", spec.");
        let missing: Vec<_> =
            fields.split(", spec.").filter(|it| !texts.iter().any(|text| text.contains(it))).collect();
        return if missing.is_empty() { Ok(()) } else { Err(format!("{missing:?} not in {texts:?}")) };
    }
    let is_reported = texts.join(", ").contains(expected) || texts.iter().any(|text| text.contains(expected));
    if is_reported { Ok(()) } else { Err(format!("expected {expected}, found {texts:?}")) }
}

fn expect_accepted(answer: &Admission) -> Result<(), String> {
    if answer.is_accepted() { Ok(()) } else { Err(format!("refused: {:?}", texts(answer))) }
}

/// An object without its metadata, which the runner of the suites changes.
fn content(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().unwrap().remove("metadata");
    object
}

fn expect_stored(stored: &Value, expected: &str) -> Result<(), String> {
    let expected = content(&parse_documents(expected)[0]);
    let stored = content(stored);
    if stored == expected { Ok(()) } else { Err(format!("stored {stored}, expected {expected}")) }
}

/// Applies one operation of a JSON Patch.
fn patch(document: &mut Value, operation: &Value) {
    let path = operation["path"].as_str().unwrap();
    let (parent, last) = path.rsplit_once('/').unwrap();
    let last = last.replace("~1", "/").replace("~0", "~");
    match (document.pointer_mut(parent).unwrap(), operation["op"].as_str().unwrap()) {
        (Value::Object(fields), "remove") => _ = fields.remove(&last).unwrap(),
        (Value::Object(fields), "add" | "replace") => _ = fields.insert(last, operation["value"].clone()),
        (Value::Array(items), "remove") => _ = items.remove(last.parse().unwrap()),
        (Value::Array(items), "replace") => {
            items[last.parse::<usize>().unwrap()] = operation["value"].clone()
        }
        (Value::Array(items), "add") if last == "-" => items.push(operation["value"].clone()),
        (Value::Array(items), "add") => items.insert(last.parse().unwrap(), operation["value"].clone()),
        (_, other) => panic!("{other} at {path}"),
    }
}

/// An object as the runner of the suites sends it.
fn sent(text: &str) -> Value {
    let mut object = parse_documents(text).remove(0);
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    if object["metadata"]["name"].is_null() {
        object["metadata"]["name"] = "test-abcde".into();
    }
    object["metadata"]["namespace"] = "default".into();
    object
}

/// The stored object that a test expects: what was sent if it does not say (`generateOnCreateTable`, `generateOnUpdateTable`).
fn expected_of<'a>(test: &'a Value, sent: &str) -> &'a str {
    let expected = test["expected"].as_str().filter(|it| !it.trim().is_empty());
    expected.unwrap_or_else(|| test[sent].as_str().unwrap())
}

fn on_create(definition: &Value, test: &Value) -> Result<(), String> {
    let object = sent(test["initial"].as_str().unwrap());
    let schema = schema_of(definition, &object).ok_or("no such version")?;
    let answer = schema.admit_object(&object, None);
    if let Some(expected) = test["expectedError"].as_str().filter(|it| !it.is_empty()) {
        return expect_error(&answer, expected);
    }
    expect_accepted(&answer)?;
    expect_stored(&answer.stored, expected_of(test, "initial"))
}

/// An update with a status is two writes, the object and then its status.
fn on_update(definition: &Value, test: &Value) -> Result<(), String> {
    let mut first = definition.clone();
    for operation in test["initialCRDPatches"].as_array().into_iter().flatten() {
        patch(&mut first, operation);
    }
    let initial = sent(test["initial"].as_str().unwrap());
    let schema = schema_of(&first, &initial).ok_or("no such version")?;
    let created = schema.admit_object(&initial, None);
    expect_accepted(&created)?;
    let mut stored = created.stored;
    if !initial["status"].is_null() && schema.has_status() {
        let written = schema.admit_status(&initial, &stored);
        expect_accepted(&written)?;
        stored = written.stored;
    }
    let mut updated = sent(test["updated"].as_str().unwrap());
    updated["metadata"]["name"] = stored["metadata"]["name"].clone();
    let schema = schema_of(definition, &updated).ok_or("no such version")?;
    let answer = schema.admit_object(&updated, Some(&stored));
    if let Some(expected) = test["expectedError"].as_str().filter(|it| !it.is_empty()) {
        return expect_error(&answer, expected);
    }
    expect_accepted(&answer)?;
    let mut answer = answer;
    if !updated["status"].is_null() && schema.has_status() {
        answer = schema.admit_status(&updated, &answer.stored);
        if let Some(expected) = test["expectedStatusError"].as_str().filter(|it| !it.is_empty()) {
            return expect_error(&answer, expected);
        }
        expect_accepted(&answer)?;
    }
    expect_stored(&answer.stored, expected_of(test, "updated"))
}

/// Feature gates of the payload that a definition is shipped in, and if each is on: the first file of gates with one of the
/// definition's cluster profiles, its feature set (`Default` if unset) and one of its major versions, as
/// `featureGatesForClusterProfileFeatureSetVersion` of the suites' runner picks it.
fn gates_of(definition: &Value, payloads: &[Value]) -> BTreeMap<String, bool> {
    let annotations = &definition["metadata"]["annotations"];
    let profiles = annotations.as_object().into_iter().flatten();
    let is_profile = |key: &str| key.starts_with("include.release.openshift.io/");
    let profile = profiles.filter(|(key, on)| is_profile(key) && **on == "true").map(|(key, _)| key).min();
    let sets = annotations["release.openshift.io/feature-set"].as_str().unwrap_or("Default");
    let majors = |of: &Value| {
        let list = of["release.openshift.io/major-version"].as_str().unwrap_or_default();
        list.split(',').filter_map(|it| it.parse::<u64>().ok()).collect::<Vec<_>>()
    };
    let wanted = majors(annotations);
    let is_its = |payload: &&Value| {
        let of = &payload["metadata"]["annotations"];
        let set = of["release.openshift.io/feature-set"].as_str().unwrap_or_default();
        of.get(profile.unwrap()).is_some()
            && sets.split(',').any(|it| it == set)
            && (wanted.is_empty() || majors(of).iter().any(|it| wanted.contains(it)))
    };
    let payload = payloads.iter().find(is_its).unwrap();
    let gates = |list: &str, on: bool| {
        let gates = payload["status"]["featureGates"][0][list].as_array().into_iter().flatten();
        gates.map(|gate| (gate["name"].as_str().unwrap().to_owned(), on)).collect::<Vec<_>>()
    };
    gates("enabled", true).into_iter().chain(gates("disabled", false)).collect()
}

/// True if a suite is about this definition, as `perTestRuntimeInfo` of the suites' runner decides it. The runner does
/// not know the key `featureGate`, so that a suite with it is for all definitions of its name.
fn is_for(suite: &Value, definition: &Value, payloads: &[Value]) -> bool {
    let Some(gates) = suite["featureGates"].as_array().filter(|gates| !gates.is_empty()) else { return true };
    let mut gates = gates.iter().map(|gate| gate.as_str().unwrap());
    let sets = definition["metadata"]["annotations"]["release.openshift.io/feature-set"].as_str();
    if sets.is_some_and(|sets| sets.split(',').any(|set| set == "CustomNoUpgrade")) {
        return !gates.any(|gate| gate.starts_with('-'));
    }
    let on = gates_of(definition, payloads);
    gates.all(|gate| gate.strip_prefix('-').map_or_else(|| on[gate], |gate| !on[gate]))
}

#[test]
fn suites_of_openshift_agree() {
    let Some(folder) = kvrules_testdata::find_path("suites/openshift-api") else { return };
    let (found, mut tally) = (find_files(&folder, ".yaml"), Tally::default());
    let read = |path: &PathBuf| parse_documents(&std::fs::read_to_string(path).unwrap());
    let is_gates = |path: &&PathBuf| path.to_string_lossy().contains("payload-manifests/featuregates");
    let payloads: Vec<Value> = found.iter().filter(is_gates).flat_map(read).collect();
    let is_definition = |path: &&PathBuf| path.to_string_lossy().contains("zz_generated.crd-manifests");
    let mut definitions: BTreeMap<(PathBuf, String), Vec<Value>> = BTreeMap::new();
    for path in found.iter().filter(is_definition) {
        let version = path.parent().and_then(Path::parent).unwrap().to_owned();
        for definition in read(path) {
            let name = definition["metadata"]["name"].as_str().unwrap().to_owned();
            definitions.entry((version.clone(), name)).or_default().push(definition);
        }
    }
    for path in found.iter().filter(|path| path.to_string_lossy().contains("/tests/")) {
        for suite in read(path) {
            let version = path.ancestors().nth(3).unwrap().to_owned();
            let name = suite["crdName"].as_str().unwrap_or_default().to_owned();
            let all = definitions.get(&(version, name)).into_iter().flatten();
            let definitions: Vec<_> = all.filter(|it| is_for(&suite, it, &payloads)).collect();
            assert!(!definitions.is_empty(), "no definition for {}", path.display());
            for definition in definitions {
                type Run = fn(&Value, &Value) -> Result<(), String>;
                for (kind, run) in [("onCreate", on_create as Run), ("onUpdate", on_update as Run)] {
                    for test in suite["tests"][kind].as_array().into_iter().flatten() {
                        let title = format!("{} {}", path.display(), test["name"]);
                        tally.add(&title, run(definition, test));
                    }
                }
            }
        }
    }
    tally.finish("openshift", 1000);
}

#[test]
fn objects_of_istio_fare_as_their_tests_say() {
    let Some(folder) = kvrules_testdata::find_path("suites/istio") else { return };
    let text = std::fs::read_to_string(folder.join("kubernetes/customresourcedefinitions.gen.yaml")).unwrap();
    let definitions = parse_documents(&text);
    let mut tally = Tally::default();
    let mut unreadable = Vec::new();
    for path in find_files(&folder.join("tests/testdata"), ".yaml") {
        let text = std::fs::read_to_string(&path).unwrap();
        for (index, part) in text.split("\n---").enumerate() {
            let Ok(mut object) = serde_yaml::from_str::<Value>(part) else {
                unreadable.push(path.file_name().unwrap().to_owned());
                continue;
            };
            if object.is_null() {
                continue;
            }
            let expected = object.as_object_mut().unwrap().remove("_err");
            let group = object["apiVersion"].as_str().unwrap().split('/').next().unwrap().to_owned();
            let is_its = |it: &&Value| {
                it["spec"]["group"] == group.as_str() && it["spec"]["names"]["kind"] == object["kind"]
            };
            let definition = definitions.iter().find(is_its).unwrap();
            let answer = schema_of(definition, &object).unwrap().admit_object(&object, None);
            let result = match expected.as_ref().and_then(Value::as_str) {
                Some(expected) => expect_error(&answer, expected),
                None => expect_accepted(&answer),
            };
            tally.add(&format!("{} {index}", path.display()), result);
        }
    }
    // A plain scalar with `::` in a flow sequence, which this reader of YAML refuses.
    assert_eq!(unreadable, ["serviceentry-valid.yaml"]);
    tally.finish("istio", 50);
}

/// Returns the compared part of an answer: its errors with their texts, and its warnings.
fn reported(answer: &Admission) -> Value {
    let error = |error: &Failure| {
        let text = error.to_message();
        let text = text.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&text);
        json!({"type": error.reason, "field": error.field, "detail": error.detail, "text": text})
    };
    json!({"errors": answer.errors.iter().map(error).collect::<Vec<_>>(), "warnings": answer.warnings})
}

/// A list in one order; empty if there is none.
fn sorted(value: &Value) -> Vec<String> {
    let mut items: Vec<_> = value.as_array().into_iter().flatten().map(ToString::to_string).collect();
    items.sort();
    items
}

/// Families about the function libraries of expressions, whose words are compared with the recorded cases of `conformance`.
const LIBRARIES: [&str; 4] = ["ip", "cidr", "semver", "format-dynamic"];

#[test]
fn objects_of_the_newest_minor_fare_as_recorded() {
    let Some(rows) = kvrules_testdata::read_rows("kubernetes/minors/gate-cases.jsonl") else { return };
    let mut tally = Tally::default();
    for row in rows {
        let newest = |it: &&Value| it["at"].as_array().unwrap().contains(&json!("1.36"));
        let Some(expect) = row["expect"].as_array().unwrap().iter().find(newest) else { continue };
        let is_library = LIBRARIES.iter().any(|family| row["family"] == *family);
        let is_accepted = expect["accepted"] == true && !is_library;
        for recorded in expect["objects"].as_array().into_iter().flatten().filter(|_| is_accepted) {
            let inputs = row["objects"].as_array().unwrap();
            let input = inputs.iter().find(|input| input["name"] == recorded["name"]).unwrap();
            let schema = schema_of(&row["crd"], &input["object"]).unwrap();
            let old = input.get("oldObject").filter(|old| !old.is_null());
            let ours = reported(&schema.admit_object(&input["object"], old));
            let is_equal =
                ["errors", "warnings"].iter().all(|list| sorted(&ours[list]) == sorted(&recorded[list]));
            let result = if is_equal { Ok(()) } else { Err(format!("ours {ours}, server {recorded}")) };
            tally.add(&format!("{} {}", row["id"], input["name"]), result);
        }
    }
    tally.finish("gate cases", 500);
}
