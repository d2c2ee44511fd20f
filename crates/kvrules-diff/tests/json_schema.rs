//! Compares claims about two JSON Schemas with examples, and with the verdicts of a validator on many values.
//!
//! Pairs of small schemas are generated from seeds, most of them a schema and itself with a change or two, in several
//! drafts. For each pair: every witness witnesses, by the schemas as they were given; where all is said to be equal no value
//! tells the two apart; where all that changed is said to be stricter no value that was refused is accepted, and the reverse.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use std::collections::BTreeMap;

use jsonschema::Validator;
use kvrules_diff::json_schema::{ContainmentProof, SchemaSource, compare_schemas, generate_values};
use kvrules_diff::{Change, Comparison, Direction, EffectAnswer};
use serde_json::{Map, Value, json};

fn source(schema: &Value) -> SchemaSource {
    SchemaSource::from_pointers(schema, &[String::new()]).remove(0)
}

fn compared(old: &Value, new: &Value) -> Comparison {
    compare_schemas(&source(old), &source(new), &|_| false).unwrap()
}

/// Each change as `place: what direction`.
fn reported(old: &Value, new: &Value) -> Vec<String> {
    let text = |change: &Change| {
        let proof = if change.proved { "" } else { "?" };
        format!("{}: {} {}{proof}", change.at, change.what, change.direction.as_str())
    };
    compared(old, new).changes.iter().map(text).collect()
}

#[test]
fn what_is_not_declared_is_open_unless_the_schema_says_otherwise() {
    let open = json!({"properties": {"a": {"type": "string"}}});
    let more = json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
    assert_eq!(reported(&open, &more), ["b: field added tightened"]);
    assert_eq!(reported(&more, &open), ["b: field removed loosened"]);
    let closed = |schema: &Value| {
        let mut schema = schema.clone();
        schema["additionalProperties"] = json!(false);
        schema
    };
    assert_eq!(reported(&closed(&open), &closed(&more)), ["b: field added loosened"]);
    assert_eq!(reported(&closed(&more), &closed(&open)), ["b: field removed tightened"]);
    assert_eq!(reported(&open, &closed(&open)), ["*: unknown fields tightened"]);
    let typed = json!({"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}});
    assert_eq!(
        reported(
            &typed,
            &json!({"properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "additionalProperties": {"type": "integer"}})
        ),
        ["b: value loosened"]
    );
}

#[test]
fn a_schema_that_takes_nothing_is_not_one_that_takes_everything() {
    let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
    // The field takes every value before and after, which is found first.
    let open = json!({"properties": {"a": {"allOf": [{}]}}});
    assert_eq!(reported(&closed, &open), ["*: unknown fields loosened"]);
    assert_eq!(reported(&open, &closed), ["*: unknown fields tightened"]);
    let (never, always) = (json!({"items": false}), json!({"items": {"allOf": [{}]}}));
    let in_both = |one: &Value| json!({"properties": {"a": {"items": {}}, "b": one}});
    assert_eq!(reported(&in_both(&never), &in_both(&always)), ["b[*]: value loosened"]);
}

#[test]
fn references_are_followed_and_a_change_behind_them_is_told_once() {
    let with = |most: u32| {
        json!({
            "$ref": "#/$defs/node",
            "$defs": {"node": {"type": "object", "properties": {
                "size": {"maximum": most},
                "left": {"$ref": "#/$defs/node"},
                "right": {"$ref": "#/$defs/node"},
            }}},
        })
    };
    let comparison = compared(&with(9), &with(5));
    let [change] = comparison.changes.as_slice() else { panic!("{comparison:?}") };
    assert_eq!((change.at.as_str(), change.direction), ("size", Direction::Tightened));
    assert_eq!(change.refused.as_ref().unwrap().object, json!({"size": 6}));
    assert_eq!(change.refused.as_ref().unwrap().because, "size: 6 is greater than the maximum of 5");
}

#[test]
fn all_of_is_merged_and_the_order_of_what_is_said_does_not_matter() {
    let one = json!({"allOf": [{"required": ["a"]}, {"properties": {"a": {"minimum": 1}}}], "maximum": 3});
    let other = json!({"required": ["a"], "properties": {"a": {"minimum": 1}}, "maximum": 3});
    assert_eq!(reported(&one, &other), [] as [&str; 0]);
    let tighter =
        json!({"required": ["a"], "properties": {"a": {"allOf": [{"minimum": 1}, {"minimum": 2}]}}});
    assert_eq!(reported(&one, &tighter), [": value loosened", "a: value tightened"]);
}

#[test]
fn words_of_other_drafts_are_the_same_words() {
    let old =
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 0, "exclusiveMinimum": true});
    let new = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "exclusiveMinimum": 0});
    assert_eq!(reported(&old, &new), [] as [&str; 0]);
    let api = |schema: Value| {
        let document = json!({"openapi": "3.0.0", "components": {"schemas": {"a": schema}}});
        SchemaSource::from_pointers(&document, &["/components/schemas/a".to_owned()]).remove(0)
    };
    let (old, new) = (api(json!({"type": "string"})), api(json!({"type": "string", "nullable": true})));
    let change = compare_schemas(&old, &new, &|_| false).unwrap().changes.remove(0);
    assert_eq!((change.direction, change.accepted.unwrap().object), (Direction::Loosened, Value::Null));
}

#[test]
fn alternatives_are_held_against_each_other() {
    let any = |branches: Value| json!({"anyOf": branches});
    let (a, b, c) = (
        json!({"const": 1}),
        json!({"type": "string", "maxLength": 3}),
        json!({"type": "string", "maxLength": 2}),
    );
    assert_eq!(reported(&any(json!([a, b])), &any(json!([b, a]))), [": branches equal"]);
    assert_eq!(reported(&any(json!([a, b])), &any(json!([a, c]))), [": branches tightened"]);
    assert_eq!(reported(&any(json!([a])), &any(json!([a, c]))), [": branches loosened"]);
    let not = |schema: &Value| json!({"not": schema});
    assert_eq!(reported(&not(&b), &not(&c)), [": branches loosened"]);
    let one = |branches: Value| json!({"oneOf": branches});
    assert_eq!(reported(&one(json!([a, b])), &one(json!([a, c]))), [": branches tightened"]);
}

#[test]
fn what_follows_from_a_condition_is_shown_where_it_holds() {
    let with =
        |most: u32| json!({"if": {"required": ["a"]}, "then": {"properties": {"b": {"maxItems": most}}}});
    let comparison = compared(&with(3), &with(2));
    assert_eq!(comparison.changes[0].direction, Direction::Tightened);
    let shown = &comparison.changes[0].refused.as_ref().unwrap().object;
    assert!(shown.get("a").is_some() && shown["b"].as_array().unwrap().len() == 3, "{shown}");
}

#[test]
fn patterns_and_formats_are_told_by_what_they_match() {
    let pattern = |pattern: &str| json!({"type": "string", "pattern": pattern});
    assert_eq!(reported(&pattern("^[ab]$"), &pattern("^(a|b)$")), [": value equal"]);
    assert_eq!(reported(&pattern("^\\d+$"), &pattern("^[0-9]{2,}$")), [": value tightened"]);
    let format = |format: &str| json!({"type": "string", "format": format});
    assert_eq!(reported(&format("uuid"), &json!({"type": "string"})), [": value loosened"]);
    let comparison = compared(&format("int32"), &format("int64"));
    assert_eq!(comparison.changes[0].direction, Direction::Equal);
    assert_eq!(comparison.changes[0].notes[0], "no validator checks the format `int32`");
}

#[test]
fn rules_in_cel_are_not_guessed_at() {
    let with = |rule: &str| json!({"x-kubernetes-validations": [{"rule": rule}]});
    let comparison = compared(&with("self.a"), &with("self.b"));
    assert_eq!(comparison.changes[0].direction, Direction::Unknown);
    assert!(comparison.changes[0].notes[0].contains("CustomResourceDefinitions"));
}

/// Canonical forms took minutes for a dozen of these.
#[test]
fn nothing_is_proved_of_schemas_with_many_branches() {
    let branch = |number: usize| json!({"properties": {"a": {"multipleOf": number + 2}, "b": {"multipleOf": 97 - number}}});
    let overlapping =
        |branches: usize| source(&json!({"anyOf": (0..branches).map(branch).collect::<Vec<_>>()}));
    let proof = |branches: usize| ContainmentProof::new(&overlapping(branches), &overlapping(branches));
    assert!(proof(4).rejects_nothing && proof(4).accepts_nothing);
    assert_eq!(proof(5), ContainmentProof::default());
}

#[test]
fn a_reference_that_leads_nowhere_is_found() {
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/none"}}});
    let place = ["properties", "a", "$ref"].map(str::to_owned).to_vec();
    assert_eq!(source(&schema).dangling_reference(), Some(("#/$defs/none".to_owned(), place)));
}

/// Numbers that are the same in every run.
struct Seeds(u64);

impl Seeds {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn often(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// Says something more in a schema, or something else, or less.
fn change(schema: &mut Value, seeds: &mut Seeds, depth: usize) {
    let Some(fields) = schema.as_object_mut() else { return };
    let below: Vec<String> = fields
        .iter()
        .filter(|(key, value)| {
            matches!(key.as_str(), "items" | "additionalProperties" | "not" | "contains" | "if" | "then")
                && value.is_object()
        })
        .map(|(key, _)| key.clone())
        .collect();
    let inner: Vec<String> = fields
        .get("properties")
        .and_then(Value::as_object)
        .map(|all| all.keys().cloned().collect())
        .unwrap_or_default();
    if !below.is_empty() && seeds.often(3) {
        let key = seeds.one(&below).clone();
        return change(&mut fields[&key], seeds, depth + 1);
    }
    if !inner.is_empty() && seeds.often(2) {
        let name = seeds.one(&inner).clone();
        return change(&mut fields["properties"][&name], seeds, depth + 1);
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        if let Some(branches) = fields.get_mut(list).and_then(Value::as_array_mut)
            && seeds.often(2)
        {
            let at = seeds.below(branches.len());
            return change(&mut branches[at], seeds, depth + 1);
        }
    }
    let (key, value) = keyword(seeds, depth);
    if fields.remove(key).is_some() && seeds.often(2) {
        return;
    }
    fields.insert(key.to_owned(), value);
}

fn keyword(seeds: &mut Seeds, depth: usize) -> (&'static str, Value) {
    let patterns = ["^[a-z]+$", "^[a-z]*$", "^[a-c]+$", "a", "^(a|b)$", "^.{1,3}$", "^a", "^\\w+$"];
    let types = ["object", "array", "string", "integer", "number", "boolean", "null"];
    let deep = |seeds: &mut Seeds| if depth > 2 { leaf(seeds) } else { schema(seeds, depth + 1) };
    let names = ["a", "b", "c"];
    match seeds.below(30) {
        0 | 1 => ("type", json!(*seeds.one(&types))),
        2 => ("type", json!([*seeds.one(&types[..3]), *seeds.one(&types[3..])])),
        3 => ("enum", json!([1, "a", *seeds.one(&[json!(null), json!(2), json!("b"), json!(1.5)])])),
        4 => ("const", seeds.one(&[json!(1), json!("a"), json!({"a": 1}), json!([])]).clone()),
        5 => ("minimum", json!(seeds.below(4))),
        6 => ("maximum", json!(seeds.below(4) + 2)),
        7 => ("exclusiveMaximum", json!(seeds.below(4) + 2)),
        8 => ("multipleOf", seeds.one(&[json!(1), json!(2), json!(3), json!(0.5)]).clone()),
        9 => ("minLength", json!(seeds.below(3))),
        10 => ("maxLength", json!(seeds.below(3) + 1)),
        11 => ("pattern", json!(*seeds.one(&patterns))),
        12 => ("format", json!(*seeds.one(&["ipv4", "date", "uuid", "int32"]))),
        13 => ("items", deep(seeds)),
        14 => ("minItems", json!(seeds.below(3))),
        15 => ("maxItems", json!(seeds.below(3))),
        16 => ("uniqueItems", json!(true)),
        17 => ("required", json!([*seeds.one(&names)])),
        18 => ("properties", json!({*seeds.one(&names): deep(seeds), "a": deep(seeds)})),
        19 => ("additionalProperties", if seeds.often(2) { json!(false) } else { deep(seeds) }),
        20 => ("maxProperties", json!(seeds.below(3))),
        21 => ("anyOf", json!([deep(seeds), deep(seeds)])),
        22 => ("not", deep(seeds)),
        23 => ("allOf", json!([deep(seeds)])),
        24 => ("oneOf", json!([deep(seeds), leaf(seeds)])),
        25 => ("dependentRequired", json!({"a": [*seeds.one(&names)]})),
        26 => ("if", deep(seeds)),
        27 => ("then", deep(seeds)),
        28 => ("else", leaf(seeds)),
        _ => ("prefixItems", json!([leaf(seeds)])),
    }
}

fn leaf(seeds: &mut Seeds) -> Value {
    let mut fields = Map::new();
    for _ in 0..=seeds.below(2) {
        let (key, value) = keyword(seeds, 3);
        if !value.is_object()
            && !["items", "properties", "anyOf", "oneOf", "allOf", "not", "prefixItems"].contains(&key)
        {
            fields.insert(key.to_owned(), value);
        }
    }
    Value::Object(fields)
}

fn schema(seeds: &mut Seeds, depth: usize) -> Value {
    if depth > 0 && seeds.often(2) {
        return leaf(seeds);
    }
    let mut made = match seeds.below(4) {
        0 => json!({"type": "array", "items": schema(seeds, depth + 1)}),
        1 => json!({}),
        _ => {
            let mut properties = Map::new();
            for name in ["a", "b", "c"].iter().take(1 + seeds.below(3)) {
                properties.insert(
                    (*name).to_owned(),
                    if depth > 1 { leaf(seeds) } else { schema(seeds, depth + 1) },
                );
            }
            json!({"type": "object", "properties": properties})
        }
    };
    for _ in 0..seeds.below(3) {
        let (key, value) = keyword(seeds, depth + 1);
        made[key] = value;
    }
    made
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::options().should_validate_formats(true).build(schema).unwrap()
}

/// Values that are nothing to anyone in particular.
fn others() -> Vec<Value> {
    let text = r#"[null, true, false, 0, 1, 2, 3, 4, 5, 6, -1, 1.5, 0.5, 2.5, "", "a", "b", "ab", "abc", "abcd", "A", "0",
        "192.0.2.1", [], [1], ["a"], [1, 1], ["a", "b"], [1, 2, 3], [null], [[]], [{}], {}, {"a": 1}, {"a": "a"}, {"b": 1},
        {"a": 1, "b": 1}, {"a": 1, "b": "a", "c": 1}, {"c": null}, {"z": 1}, {"z": "a"}, {"z": {}}, {"a": {}}, {"a": []},
        {"a": [1]}, {"a": ["a"]}, {"a": {"a": 1}}, {"a": {"z": 1}}, {"b": ["a", "a"]}, {"a": null}, {"a": 1.5}, {"a": true},
        {"a": "abcd"}, {"b": "abcd"}, {"a": 7}, {"a": -1}, {"a": [[]]}, {"a": {"b": {"c": 1}}}]"#;
    serde_json::from_str(text).unwrap()
}

#[derive(Default)]
struct Figures {
    pairs: usize,
    values: usize,
    witnesses: usize,
    /// Containments that canonical forms prove.
    proofs: usize,
    undecided: usize,
    /// Seeds of pairs with a difference that no witness shows.
    not_shown: Vec<u64>,
    directions: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

fn of_seed(seed: u64, figures: &mut Figures) {
    let mut seeds = Seeds(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let old = schema(&mut seeds, 0);
    let mut new = old.clone();
    for _ in 0..=seeds.below(2) {
        change(&mut new, &mut seeds, 0);
    }
    if old == new {
        return;
    }
    let (before, after) = (validator(&old), validator(&new));
    let comparison = compared(&old, &new);
    let mut wrong = |what: &str| {
        figures.wrong.push(format!("seed {seed}: {what}\n  {old}\n  {new}\n  {:?}", comparison.changes));
    };
    for change in &comparison.changes {
        *figures.directions.entry(change.direction.as_str()).or_default() += 1;
        for (witness, is_refused) in [(&change.refused, true), (&change.accepted, false)] {
            let Some(witness) = witness else { continue };
            figures.witnesses += 1;
            let (was, is) = (before.is_valid(&witness.object), after.is_valid(&witness.object));
            if (was, is) != (is_refused, !is_refused) {
                wrong("a witness shows nothing");
            }
        }
    }
    figures.pairs += 1;
    let may = |answer: fn(&Change) -> EffectAnswer| {
        comparison.changes.iter().any(|change| answer(change) != EffectAnswer::No)
    };
    let (may_tighten, may_loosen) = (may(Change::tightens), may(Change::loosens));
    let shown = |refused: bool| {
        comparison
            .changes
            .iter()
            .any(|change| if refused { change.refused.is_some() } else { change.accepted.is_some() })
    };
    let proof = ContainmentProof::new(&source(&old), &source(&new));
    figures.proofs += usize::from(proof.rejects_nothing) + usize::from(proof.accepts_nothing);
    figures.undecided += comparison.changes.iter().filter(|change| !change.proved).count();
    let (mut is_tightened, mut is_loosened) = (false, false);
    for value in generate_values(&source(&old), 40)
        .into_iter()
        .chain(generate_values(&source(&new), 40))
        .chain(others())
    {
        figures.values += 1;
        match (before.is_valid(&value), after.is_valid(&value)) {
            (true, false) if proof.rejects_nothing => {
                return wrong(&format!("{value} contradicts the proof"));
            }
            (false, true) if proof.accepts_nothing => {
                return wrong(&format!("{value} contradicts the proof"));
            }
            (true, false) if !may_tighten => return wrong(&format!("{value} is refused now")),
            (false, true) if !may_loosen => return wrong(&format!("{value} is accepted now")),
            (true, false) => is_tightened = true,
            (false, true) => is_loosened = true,
            _ => {}
        }
    }
    if is_tightened && !shown(true) || is_loosened && !shown(false) {
        figures.not_shown.push(seed);
        if std::env::var_os("KVRULES_DIFF_SHOW").is_some() {
            println!("seed {seed}: not shown\n  {old}\n  {new}\n  {:?}", comparison.changes);
        }
    }
}

/// Number of seeds in a quick run.
const PAIRS: u64 = 300;

/// Those of them with a difference of which no witness is found; `KVRULES_DIFF_SHOW` prints it.
const NOT_SHOWN: [u64; 1] = [146];

#[test]
fn claims_about_generated_pairs_agree_with_a_validator() {
    let mut figures = Figures::default();
    // A full run found a wrong claim with the last one.
    for seed in kvrules_testdata::seed_range(PAIRS).chain([20_263_786]) {
        of_seed(seed, &mut figures);
    }
    println!(
        "diff of JSON Schemas: {} pairs, {} values, {} witnesses, {} differences not shown, {} claims wrong, {} proofs, \
        {} undecided changes, {:?}",
        figures.pairs,
        figures.values,
        figures.witnesses,
        figures.not_shown.len(),
        figures.wrong.len(),
        figures.proofs,
        figures.undecided,
        figures.directions
    );
    figures.wrong.iter().take(8).for_each(|wrong| println!("{wrong}"));
    assert!(figures.wrong.is_empty());
    if kvrules_testdata::is_quick_run() {
        assert_eq!(figures.not_shown, NOT_SHOWN, "seeds with a difference that is not shown");
    }
}
