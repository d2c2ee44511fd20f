//! Broken schemas: what a slip in the lowering would give must not pass the comparison.

use std::collections::BTreeMap;

use jsonschema::Validator;
use kvrules_emit::schema::{Dialect, QuantityMode, of_predicate};
use kvrules_ir::{Interval, ValueTest};
use serde_json::{Map, Value, json};

use crate::agreement::{agreed, compile};
use crate::cases::predicates;
use crate::places::{GIB, domain, test};
use crate::synthesis;

type Keywords = Map<String, Value>;

/// A way to break the keywords of one schema; it gives all that it can break differently.
type Mutation = (&'static str, fn(&Keywords) -> Vec<Keywords>);

const MUTATIONS: [Mutation; 10] = [
    ("a lower bound raised by one", |schema| moved(schema, ["minimum", "minLength", "minItems"], 1)),
    ("an upper bound lowered by one", |schema| moved(schema, ["maximum", "maxLength", "maxItems"], -1)),
    ("a lower bound dropped", |schema| {
        ["minimum", "minLength", "minItems"]
            .into_iter()
            .filter_map(|keyword| without(schema, keyword))
            .collect()
    }),
    ("a required field forgotten", |schema| shortened(schema, "required")),
    ("a value forgotten", |schema| shortened(schema, "enum")),
    ("null refused", null_refused),
    ("a guard swapped", guard_swapped),
    ("items not looked at", |schema| {
        ["items", "contains", "prefixItems"]
            .into_iter()
            .filter_map(|keyword| without(schema, keyword))
            .collect()
    }),
    ("each taken for some", |schema| {
        renamed(schema, "contains", "items").into_iter().chain(renamed(schema, "items", "contains")).collect()
    }),
    ("a pattern or a constant dropped", |schema| {
        ["pattern", "const"].into_iter().filter_map(|keyword| without(schema, keyword)).collect()
    }),
];

#[test]
fn broken_schemas_are_found_out() {
    // OpenAPI 3.1 is built like JSON Schema, keyword by keyword.
    let built = [Dialect::JsonSchema202012, Dialect::OpenApi30];
    let mut caught = built.map(|dialect| (dialect, BTreeMap::<&str, usize>::new()));
    for (name, predicate) in predicates() {
        let objects = synthesis::objects(&predicate, 600);
        for (dialect, caught) in &mut caught {
            let Ok((schema, _)) = of_predicate(&predicate, *dialect, QuantityMode::Exact) else { continue };
            let verdicts = agreed(&predicate, &compile(&schema, *dialect), &objects);
            for (mutation, mutant) in mutants(&schema) {
                let found = is_found_out(&compile(&mutant, *dialect), &verdicts);
                assert!(found, "{name} in {dialect:?}: {mutation}\n{schema:#}\n{mutant:#}");
                *caught.entry(mutation).or_default() += 1;
            }
        }
    }
    for (dialect, caught) in caught {
        println!("{dialect:?}: {caught:#?}");
        assert!(MUTATIONS.iter().all(|(mutation, _)| caught.contains_key(mutation)), "{caught:?}");
    }
}

#[test]
fn a_quantity_off_by_one_is_found_out() {
    let quantity = |min: i64, max: i64| {
        let bounds = Interval { min: Some(min.into()), max: Some(max.into()) };
        test(domain("memory?.guest?", kvrules_ir::ValueType::Quantity), ValueTest::Integer(bounds))
    };
    let intended = quantity(GIB, 4 * GIB);
    let objects = synthesis::objects(&intended, 1000);
    for dialect in Dialect::ALL {
        for (min, max) in [(GIB + 1, 4 * GIB), (GIB - 1, 4 * GIB), (GIB, 4 * GIB + 1), (GIB, 4 * GIB - 1)] {
            // A schema of quantities has the bounds twice, as numbers and in the pattern. The numbers are
            // corrected, so that only the pattern is wrong.
            let (mut schema, _) = of_predicate(&quantity(min, max), dialect, QuantityMode::Exact).unwrap();
            let (right, _) = of_predicate(&intended, dialect, QuantityMode::Exact).unwrap();
            let numbers = "/properties/spec/properties/template/properties/spec/properties/domain/properties/memory\
                           /properties/guest/anyOf/0";
            *schema.pointer_mut(numbers).unwrap() = right.pointer(numbers).unwrap().clone();
            let verdicts = agreed(&intended, &compile(&right, dialect), &objects);
            assert!(is_found_out(&compile(&schema, dialect), &verdicts), "{min} to {max}");
        }
    }
}

fn is_found_out(broken: &Validator, verdicts: &[(&Value, bool)]) -> bool {
    verdicts.iter().any(|(object, intended)| broken.is_valid(object) != *intended)
}

/// Every schema with one thing broken somewhere.
fn mutants(schema: &Value) -> Vec<(&'static str, Value)> {
    let mut pointers = Vec::new();
    collect(schema, String::new(), &mut pointers);
    let mut mutants = Vec::new();
    for pointer in pointers {
        let Some(keywords) = schema.pointer(&pointer).and_then(Value::as_object) else { continue };
        for (name, mutate) in MUTATIONS {
            for broken in mutate(keywords) {
                let mut mutant = schema.clone();
                *mutant.pointer_mut(&pointer).unwrap() = broken.into();
                mutants.push((name, mutant));
            }
        }
    }
    mutants
}

fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(entries) => entries.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(values) => {
            values.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        _ => return,
    };
    for (name, value) in below {
        let name = name.replace('~', "~0").replace('/', "~1");
        collect(value, format!("{pointer}/{name}"), pointers);
    }
    pointers.push(pointer);
}

fn with(schema: &Keywords, keyword: &str, value: Value) -> Keywords {
    let mut schema = schema.clone();
    schema.insert(keyword.to_owned(), value);
    schema
}

fn without(schema: &Keywords, keyword: &str) -> Option<Keywords> {
    let mut schema = schema.clone();
    schema.shift_remove(keyword).map(|_| schema)
}

fn moved<const N: usize>(schema: &Keywords, keywords: [&str; N], by: i64) -> Vec<Keywords> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_i64);
    let moved = |keyword: &str| bound(keyword).map(|bound| with(schema, keyword, json!(bound + by)));
    keywords
        .into_iter()
        .filter_map(moved)
        .filter(|mutant| mutant.values().all(|it| *it != json!(-1)))
        .collect()
}

fn shortened(schema: &Keywords, keyword: &str) -> Vec<Keywords> {
    let Some(values) = schema.get(keyword).and_then(Value::as_array) else { return Vec::new() };
    let others = |at: usize| values.iter().enumerate().filter(move |(other, _)| *other != at);
    let shorter = |at: usize| others(at).map(|(_, value)| value.clone()).collect::<Vec<_>>();
    (0..values.len()).map(|at| with(schema, keyword, shorter(at).into())).collect()
}

fn null_refused(schema: &Keywords) -> Vec<Keywords> {
    let typed = schema.get("type").and_then(Value::as_array);
    let typed = typed.and_then(|types| types.first()).map(|kind| with(schema, "type", kind.clone()));
    without(schema, "nullable").into_iter().chain(typed).collect()
}

fn guard_swapped(schema: &Keywords) -> Vec<Keywords> {
    let condition = schema.get("if").map(|condition| with(schema, "if", json!({ "not": condition })));
    let first = schema.get("anyOf").and_then(Value::as_array).map(|parts| {
        let swapped = parts.iter().enumerate();
        let swapped = swapped.map(|(at, part)| if at == 0 { json!({ "not": part }) } else { part.clone() });
        with(schema, "anyOf", swapped.collect())
    });
    condition.into_iter().chain(first).collect()
}

fn renamed(schema: &Keywords, from: &str, to: &str) -> Option<Keywords> {
    let value = schema.get(from)?.clone();
    Some(with(&without(schema, from)?, to, value))
}
