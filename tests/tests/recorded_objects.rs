//! Answers recorded of Kubernetes 1.36, held to the library that `kvrules eval --engine crd` asks. They are among the recorded data,
//! and are skipped where they are absent.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::object::{Admission, ObjectSchema};
use serde_json::{Value, json};

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
