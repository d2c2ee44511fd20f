//! Work of reading and checking that grows with the size of the input, and not with its square: counted in bytes that are allocated.
//!
//! Four times as much input may take at most [`MOST_GROWTH`] times the work. Squares take sixteen times, and are allowed where a bound
//! ends them; see docs/internals/speed.md.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "../src/allocations.rs"]
mod allocations;

use kvrules::{Catalog, FileId, ReadContext, SourceFile, read_file};
use serde_json::{Value, json};

/// Times the work for four times the input: four, and something for logarithms and tables that double.
const MOST_GROWTH: u64 = 6;

/// The inputs, by the number of their parts.
type MakeText = fn(usize) -> String;

const INPUTS: [(&str, MakeText); 11] = [
    ("words of `in`", |n| rule_set(&[json!({"name": "r", "path": "spec.strategy.type", "in": names(n)})])),
    ("integers of `in`", |n| rule_set(&[json!({"name": "r", "path": "spec.replicas", "in": numbers(n)})])),
    ("words of `in` for items", |n| {
        rule_set(&[json!({"name": "r", "path": "spec.template.spec.containers[*].name", "in": names(n)})])
    }),
    ("rules on one integer", |n| {
        rules(n, &|at| json!({"path": "spec.replicas", "integer": {"max": 5000 + at}}))
    }),
    ("rules on one string", |n| {
        rules(n, &|at| json!({"path": "spec.strategy.type", "length": {"max": 5000 + at}}))
    }),
    ("rules on the items of one list", |n| {
        rules(n, &|at| json!({"path": "spec.template.spec.containers[*].name", "length": {"max": 64 + at}}))
    }),
    ("rules with a guard", |n| {
        rules(
            n,
            &|at| json!({"path": "spec.replicas", "integer": {"max": 5000 + at}, "when": {"path": "spec.paused", "in": [true]}}),
        )
    }),
    ("labels", |n| rules(n, &|at| json!({"path": format!("metadata.labels[\"l{at}\"]"), "required": true}))),
    ("an enumeration of a definition", |n| {
        definition(json!({"type": "string", "enum": names(n), "default": "v0"}), &[])
    }),
    ("an enumeration of a JSON Schema", |n| {
        let properties = json!({"a": {"enum": names(n), "default": "v1"}});
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": properties})
            .to_string()
    }),
    ("rules of one node", |n| {
        let rule =
            |at: usize| json!({"rule": format!("self.size() <= {}", 70 + at), "message": format!("m{at}")});
        definition(json!({"type": "string", "maxLength": 64}), &(0..n).map(rule).collect::<Vec<_>>())
    }),
];

fn names(count: usize) -> Value {
    (0..count).map(|number| format!("v{number}")).collect()
}

fn numbers(count: usize) -> Value {
    (0..count).map(|number| 2 * number).collect()
}

fn rules(count: usize, one: &dyn Fn(usize) -> Value) -> String {
    let rule = |at: usize| {
        let mut rule = json!({"name": format!("r{at}")});
        let fields = one(at).as_object().cloned().unwrap_or_default();
        rule.as_object_mut().unwrap().extend(fields);
        rule
    };
    rule_set(&(0..count).map(rule).collect::<Vec<_>>())
}

fn rule_set(rules: &[Value]) -> String {
    json!({
        "apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {"name": "web"},
        "spec": {"subject": {"apiVersion": "apps/v1", "kind": "Deployment"}, "rules": rules},
    })
    .to_string()
}

fn definition(mut field: Value, rules: &[Value]) -> String {
    if !rules.is_empty() {
        field["x-kubernetes-validations"] = rules.into();
    }
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": field}}}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.a.b"},
        "spec": {"group": "a.b", "names": names, "scope": "Namespaced", "versions": [version]},
    })
    .to_string()
}

/// The bytes that reading and checking a text allocates.
fn work_of(text: String) -> u64 {
    let source = SourceFile::new(FileId(0), "x.yaml", text);
    let context = ReadContext::new(Catalog::kubevirt_vm());
    let (reading, bytes) = allocations::allocated_by(|| read_file(&source, &context));
    assert!(!reading.contents.units.is_empty(), "nothing was read");
    bytes
}

#[test]
fn four_times_the_input_takes_little_more_than_four_times_the_work() {
    // Tables that a process makes once are no work of an input.
    for (_, make_text) in INPUTS {
        work_of(make_text(3));
    }
    let mut squares = Vec::new();
    for (what, make_text) in INPUTS {
        let [few, many] = [200, 800].map(|count| work_of(make_text(count)));
        println!("{what}: {few} bytes, {many} bytes");
        if many > MOST_GROWTH * few {
            squares.push(format!("{what}: {few} bytes became {many}"));
        }
    }
    assert!(squares.is_empty(), "{}", squares.join("\n"));
}
