//! Objects of CustomResourceDefinitions against the recorded answers of a real API server, by way of the façade: texts in,
//! errors, warnings, stored objects and costs out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules::eval::{CrdAnswer, Definitions, Engine, Evaluation, Evaluator, Options, StoredObjects};
use kvrules::{FileId, SourceFile};
use kvrules_tests::objects::RecordedAnswer;
use serde_json::Value;

/// Number of agreeing cases of each family, and the differences.
#[derive(Default)]
struct Tally {
    families: BTreeMap<String, (usize, usize)>,
    differences: Vec<String>,
}

impl Tally {
    fn add(&mut self, family: &str, name: &str, answer: &CrdAnswer, sent: &Value, expect: &Value) {
        let mut unlike = RecordedAnswer::of_facade(answer).compare_with_record(sent, expect);
        unlike.retain(|it| it.recorded != it.ours);
        let counts = self.families.entry(family.to_owned()).or_default();
        counts.0 += usize::from(unlike.is_empty());
        counts.1 += 1;
        self.differences.extend(
            unlike
                .iter()
                .map(|it| format!("{name} {}\n  ours   {}\n  server {}", it.name, it.ours, it.recorded)),
        );
    }

    /// Tells all, and gives how many there are.
    fn reported(&self) -> usize {
        let (mut agreed, mut total) = (0, 0);
        for (family, counts) in &self.families {
            println!("{family:16} {}/{}", counts.0, counts.1);
            agreed += counts.0;
            total += counts.1;
        }
        println!("objects: {agreed}/{total}");
        self.differences.iter().for_each(|difference| println!("{difference}"));
        assert!(self.differences.is_empty(), "{} differences", self.differences.len());
        total
    }
}

#[test]
fn objects_of_the_committed_cases_fare_as_on_the_server() {
    let text = std::fs::read_to_string(
        kvrules_tests::repository_root().join("tests/conformance/kubernetes-crd.jsonl"),
    )
    .unwrap();
    assert!(compare(&text) > 200);
}

#[test]
fn objects_of_all_recorded_cases_fare_as_on_the_server() {
    let Some(text) = kvrules_testdata::read_text("kubernetes/crd-cases.jsonl") else { return };
    assert!(compare(&text) > 3_000);
}

fn compare(text: &str) -> usize {
    let mut tally = Tally::default();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let Some(expected) = case["expect"]["objects"].as_array() else { continue };
        let (id, family) = (case["id"].as_str().unwrap(), case["family"].as_str().unwrap());
        let definitions = Definitions::read_definitions(&source("crd.json", &case["crd"]))
            .unwrap_or_else(|faults| panic!("{id}: {}", faults[0].message));
        let definitions = Arc::new(definitions);
        for (input, expect) in case["objects"].as_array().unwrap().iter().zip(expected) {
            let evaluation = judge(&definitions, &input["object"], input.get("oldObject"));
            let name = format!("{id} {}", input["name"].as_str().unwrap());
            let answer = evaluation.crd.unwrap_or_else(|| panic!("{name}: {:?}", evaluation.fault));
            tally.add(family, &name, &answer, &input["object"], expect);
        }
    }
    tally.reported()
}

#[test]
fn the_example_of_the_specification_gets_the_recorded_verdicts() {
    let Some(folder) = kvrules_testdata::find_path("kubernetes/noxu") else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let definition = SourceFile::new(FileId(0), "noxu-v1.yaml", read("noxu-v1.yaml"));
    let definitions = Arc::new(Definitions::read_definitions(&definition).unwrap());
    let objects: Value = serde_json::from_str(&read("objects.json")).unwrap();
    let expected = objects["afterStep8"].as_array().unwrap();
    let mut tally = Tally::default();
    for (input, expect) in objects["objects"].as_array().unwrap().iter().zip(expected) {
        let answer = judge(&definitions, &input["object"], None).crd.unwrap();
        tally.add("noxu", input["name"].as_str().unwrap(), &answer, &input["object"], expect);
    }
    assert_eq!(tally.reported(), 13);
}

fn source(name: &str, value: &Value) -> SourceFile {
    SourceFile::new(FileId(0), name, value.to_string())
}

fn judge(definitions: &Arc<Definitions>, object: &Value, old: Option<&Value>) -> Evaluation {
    let stored = old.map(|old| Arc::new(StoredObjects::read_objects(&source("old.json", old)).unwrap()));
    let definitions = Some(Arc::clone(definitions));
    let options = Options { engine: Engine::Crd, trace: true, definitions, stored, ..Options::default() };
    let evaluated = Evaluator::new(options).evaluate_objects(&source("object.json", object));
    let [evaluation] = <[Evaluation; 1]>::try_from(evaluated).unwrap();
    evaluation
}
