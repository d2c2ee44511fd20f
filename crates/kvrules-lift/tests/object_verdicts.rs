//! The formulas of rules on objects that were recorded or come with suites, as the server stores them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "the counts are shown")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_generate::PlaceStep;
use kvrules_lift::{agrees_on, definition_rules, lift_expression};
use rayon::prelude::*;
use serde_json::Value as Json;

/// An object, and the one that it replaces.
type ObjectPair = (Json, Option<Json>);

#[derive(Default)]
struct Compared {
    rules: usize,
    lifted: usize,
    /// Objects that are of a version of the definition.
    objects: usize,
    values: usize,
    wrong: Vec<String>,
}

/// Compares formulas and the server's evaluation for all rules of definitions and the values that objects have at their places, and
/// prints how many there were.
fn assert_verdicts_agree(what: &str, cases: &[(Json, Vec<ObjectPair>)], least_values: usize) {
    let compared: Vec<Compared> =
        cases.par_iter().map(|(definition, objects)| compare_objects(definition, objects)).collect();
    let sum = |count: fn(&Compared) -> usize| compared.iter().map(count).sum::<usize>();
    let wrong: Vec<&String> = compared.iter().flat_map(|it| &it.wrong).collect();
    println!(
        "{what}: {} of {} rules in {} definitions have formulas, {} objects, {} values, {} wrong",
        sum(|it| it.lifted),
        sum(|it| it.rules),
        cases.len(),
        sum(|it| it.objects),
        sum(|it| it.values),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(sum(|it| it.values) > least_values);
}

fn compare_objects(definition: &Json, objects: &[ObjectPair]) -> Compared {
    let mut compared = Compared::default();
    for version in ResourceVersion::of_definition(definition) {
        let server = ObjectSchema::new(&version.schema).without_metadata_checks();
        let stored = |object: &Json| {
            let admission = server.admit_object(object, None);
            // Rules do not run on values of wrong types.
            admission.cost.is_some().then_some(admission.stored)
        };
        let api_version = Json::from(format!("{}/{}", version.group, version.version));
        let is_of_version = |object: &Json| object["apiVersion"] == api_version;
        let pairs: Vec<ObjectPair> = objects
            .iter()
            .filter(|(object, _)| is_of_version(object))
            .filter_map(|(object, old)| Some((stored(object)?, old.as_ref().and_then(stored))))
            .collect();
        compared.objects += pairs.len();
        for rule in definition_rules(&version.schema) {
            compared.rules += 1;
            let Ok((expression, checked)) = rule.check_types() else { continue };
            let is_optional = rule.source.optional_old_self;
            let roots: &[&str] = if is_optional { &["oldSelf"] } else { &[] };
            let Ok(formulas) = lift_expression(&expression, &checked, roots) else { continue };
            compared.lifted += 1;
            let values = pairs.iter().flat_map(|(it, old)| values_at(it, old.as_ref(), &rule.place));
            let mut known = Vec::new();
            for (value, old) in values {
                let runs = old.is_some() || is_optional || !rule.source.is_transition_rule();
                if !runs || value.is_null() {
                    continue;
                }
                compared.values += 1;
                // Objects of tests differ in a field or two.
                if known.contains(&(value, old)) {
                    continue;
                }
                known.push((value, old));
                if !agrees_on(&rule, &expression, &formulas, value, old) {
                    compared.wrong.push(format!("{} on {value}", rule.source.rule));
                }
            }
        }
    }
    compared
}

/// The values at a place, with the old ones where no list is in between.
fn values_at<'v>(
    object: &'v Json,
    old: Option<&'v Json>,
    place: &[PlaceStep],
) -> Vec<(&'v Json, Option<&'v Json>)> {
    let Some((step, rest)) = place.split_first() else { return vec![(object, old)] };
    match (step, object) {
        (PlaceStep::Field(name), object) => match object.get(name) {
            Some(value) => values_at(value, old.and_then(|old| old.get(name)), rest),
            None => Vec::new(),
        },
        (PlaceStep::Any, Json::Array(items)) => {
            items.iter().flat_map(|item| values_at(item, None, rest)).collect()
        }
        (PlaceStep::Any, Json::Object(fields)) => fields
            .iter()
            .flat_map(|(name, value)| values_at(value, old.and_then(|old| old.get(name)), rest))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn formulas_agree_with_the_server_on_recorded_objects() {
    let names = ["kubernetes/crd-cases.jsonl", "kubernetes/crd-cases-2.jsonl"];
    let rows: Vec<Json> =
        names.iter().filter_map(|name| kvrules_testdata::read_rows(name)).flatten().collect();
    if rows.is_empty() {
        return;
    }
    let cases: Vec<_> = rows.iter().map(|row| (row["crd"].clone(), recorded_pairs(row))).collect();
    assert_verdicts_agree("recorded cases", &cases, 1_000);
}

fn recorded_pairs(row: &Json) -> Vec<ObjectPair> {
    let entries = row["objects"].as_array().into_iter().flatten();
    entries.map(|entry| (entry["object"].clone(), entry.get("old").cloned())).collect()
}

/// The objects of the suites of openshift/api: those that are created, and updates with what they replace.
#[test]
fn formulas_agree_with_the_server_on_objects_of_openshift() {
    let Some(folder) = kvrules_testdata::find_path("suites/openshift-api") else { return };
    let files = yaml_files(&folder);
    let (suites, manifests): (Vec<_>, Vec<_>) =
        files.iter().flat_map(|file| documents_of(file)).partition(|it| it.get("crdName").is_some());
    let mut objects: HashMap<String, Vec<ObjectPair>> = HashMap::new();
    for suite in &suites {
        let name = suite["crdName"].as_str().unwrap_or_default().to_owned();
        objects.entry(name).or_default().extend(suite_pairs(suite));
    }
    // Of the variants of a definition that which has the most rules.
    let mut definitions: HashMap<&str, &Json> = HashMap::new();
    for manifest in &manifests {
        let Some(name) = manifest["metadata"]["name"].as_str() else { continue };
        let known = definitions.entry(name).or_insert(manifest);
        if count_rules(manifest) > count_rules(known) {
            *known = manifest;
        }
    }
    let cases: Vec<_> = objects
        .iter()
        .filter_map(|(name, objects)| Some(((*definitions.get(name.as_str())?).clone(), objects.clone())))
        .collect();
    assert_verdicts_agree("openshift/api", &cases, 2_000);
}

fn count_rules(definition: &Json) -> usize {
    let versions = ResourceVersion::of_definition(definition);
    versions.iter().map(|version| definition_rules(&version.schema).len()).sum()
}

fn suite_pairs(suite: &Json) -> Vec<ObjectPair> {
    let tests = |list: &str| {
        suite.pointer(&format!("/tests/{list}")).and_then(Json::as_array).cloned().unwrap_or_default()
    };
    let object = |test: &Json, field: &str| documents_in(test[field].as_str()?).into_iter().next();
    let created = tests("onCreate").into_iter().filter_map(|test| Some((object(&test, "initial")?, None)));
    let updated = tests("onUpdate")
        .into_iter()
        .filter_map(|test| Some((object(&test, "updated")?, object(&test, "initial"))));
    created.chain(updated).collect()
}

/// The objects of the tests of istio/api.
#[test]
fn formulas_agree_with_the_server_on_objects_of_istio() {
    let Some(folder) = kvrules_testdata::find_path("suites/istio") else { return };
    let documents: Vec<Json> = yaml_files(&folder).iter().flat_map(|file| documents_of(file)).collect();
    let (definitions, objects): (Vec<_>, Vec<_>) =
        documents.into_iter().partition(|it| it["kind"] == "CustomResourceDefinition");
    let of_kind = |kind: &Json| -> Vec<ObjectPair> {
        objects.iter().filter(|it| it["kind"] == *kind).map(|it| (it.clone(), None)).collect()
    };
    let cases: Vec<_> =
        definitions.iter().map(|it| (it.clone(), of_kind(&it["spec"]["names"]["kind"]))).collect();
    assert_verdicts_agree("istio/api", &cases, 100);
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(yaml_files(&path));
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn documents_of(file: &Path) -> Vec<Json> {
    documents_in(&std::fs::read_to_string(file).unwrap())
}

/// The documents that a reader for tests can read, up to the first that it cannot read.
fn documents_in(text: &str) -> Vec<Json> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents.map_while(|document| serde::Deserialize::deserialize(document).ok()).collect()
}
