//! Real CustomResourceDefinitions, each with one thing in it changed, against what both sides say of the objects shown.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use kvrules_diff::Direction;
use kvrules_diff::schema::{SchemaEvaluator, compare_versions};
use serde_json::{Value, json};

/// A change of one keyword, and the directions that it may have.
type Mutation = (&'static str, fn(&mut Value) -> bool, &'static [Direction]);

const TIGHTER: &[Direction] =
    &[Direction::Tightened, Direction::TightenedLooseningUnknown, Direction::Unknown, Direction::Equal];
const LOOSER: &[Direction] =
    &[Direction::Loosened, Direction::LoosenedTighteningUnknown, Direction::Unknown, Direction::Equal];

const MUTATIONS: [Mutation; 8] = [
    ("maxLength", |node| text(node) && set(node, "maxLength", json!(2)), TIGHTER),
    (
        "pattern",
        |node| text(node) && node.get("pattern").is_none() && set(node, "pattern", json!("^[a-f]*$")),
        TIGHTER,
    ),
    (
        "enum",
        |node| node["enum"].as_array_mut().is_some_and(|values| values.len() > 1 && values.pop().is_some()),
        TIGHTER,
    ),
    ("pattern gone", |node| text(node) && take(node, "pattern"), LOOSER),
    ("maxItems gone", |node| take(node, "maxItems"), LOOSER),
    ("required gone", |node| node["required"].is_array() && take(node, "required"), LOOSER),
    ("rules gone", |node| take(node, "x-kubernetes-validations"), LOOSER),
    (
        "minimum",
        |node| node["type"] == "integer" && node.get("minimum").is_none() && set(node, "minimum", json!(5)),
        TIGHTER,
    ),
];

fn text(node: &Value) -> bool {
    node["type"] == "string" && node.get("enum").is_none() && node.get("maxLength").is_none()
}

fn set(node: &mut Value, key: &str, value: Value) -> bool {
    node.as_object_mut().unwrap().insert(key.to_owned(), value);
    true
}

fn take(node: &mut Value, key: &str) -> bool {
    node.as_object_mut().unwrap().remove(key).is_some()
}

/// Changes the `number`th node, from 0, of a schema that can be changed so.
fn change(node: &mut Value, number: &mut usize, mutate: fn(&mut Value) -> bool) -> bool {
    if !node.is_object() {
        return false;
    }
    let before = node.clone();
    if mutate(node) {
        if *number == 0 {
            return true;
        }
        *number -= 1;
        *node = before;
    }
    let fields = node.as_object_mut().unwrap();
    let below = ["items", "additionalProperties"];
    if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            if name != "metadata" && change(property, number, mutate) {
                return true;
            }
        }
    }
    below.into_iter().any(|key| fields.get_mut(key).is_some_and(|node| change(node, number, mutate)))
}

#[test]
fn real_definitions_with_a_change_are_told_as_what_they_became() {
    let Some(files) = kvrules_testdata::list_files("kubernetes/crds", "yaml") else { return };
    let (mut pairs, mut witnesses, mut objects) = (0, 0, 0);
    let mut claims: BTreeMap<(&str, Direction), usize> = BTreeMap::new();
    for path in files {
        // The largest take minutes by themselves.
        if std::fs::metadata(&path).unwrap().len() > 120_000 {
            continue;
        }
        let definition: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        for (name, mutate, allowed) in MUTATIONS {
            let mut new = schema.clone();
            if !change(&mut new, &mut 0, mutate) {
                continue;
            }
            pairs += 1;
            let comparison = compare_versions(schema, &new, &json!({}));
            assert!(!comparison.changes.is_empty(), "{name} in {path:?}");
            let (first, second) = (SchemaEvaluator::new(schema), SchemaEvaluator::new(&new));
            for change in &comparison.changes {
                *claims.entry((name, change.direction)).or_default() += 1;
                objects += change.objects;
                assert!(allowed.contains(&change.direction), "{name} in {path:?}: {change:#?}");
                for (witness, one, other) in
                    [(&change.refused, &first, &second), (&change.accepted, &second, &first)]
                {
                    let Some(witness) = witness else { continue };
                    witnesses += 1;
                    let ask = |judge: &SchemaEvaluator| match &witness.previous {
                        Some(previous) => judge.evaluate_update(&witness.object, previous),
                        None => judge.evaluate_create(&witness.object),
                    };
                    assert!(
                        ask(one).is_accepted() && ask(other).is_refused(),
                        "{name} in {path:?}: {witness:?}"
                    );
                }
            }
        }
    }
    println!("{pairs} pairs, {objects} objects, {witnesses} witnesses; {claims:#?}");
    assert!(pairs > 40 && witnesses > 30);
}
