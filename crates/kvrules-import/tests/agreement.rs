//! Imported schemas beside their sources: on generated schemas and values, a JSON Schema validator and the server agree
//! wherever no loss is declared, and where one is, they differ in the declared direction alone.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

mod generate;

use generate::Generator;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_diagnostics::{Exactness, FileId};
use kvrules_import::{ImportOptions, import_document};
use serde_json::{Value, json};

const SCHEMAS: u64 = 2000;
const VALUES: usize = 40;

#[derive(Debug, Default)]
struct Tally {
    exact: usize,
    wider: usize,
    narrower: usize,
    both: usize,
    refused: usize,
    equal: usize,
    accepted: usize,
    skipped: usize,
    really_wider: usize,
    really_narrower: usize,
}

#[test]
fn verdicts_agree_except_where_and_how_a_loss_is_declared() {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    // The last ones had other verdicts once, and were found by a full run.
    for seed in kvrules_testdata::seed_range(SCHEMAS).chain([20_272_571, 20_276_874]) {
        compare(seed, &mut tally, &mut wrong);
    }
    println!("{tally:?}");
    for text in wrong.iter().take(5) {
        println!("{text}\n");
    }
    assert!(wrong.is_empty(), "{} differences", wrong.len());
    if kvrules_testdata::is_quick_run() {
        assert!(tally.exact > 800 && tally.equal > 50_000, "{tally:?}");
        assert!(tally.accepted * 10 > tally.equal, "{tally:?}");
    }
}

fn compare(seed: u64, tally: &mut Tally, wrong: &mut Vec<String>) {
    let mut generator = Generator::new(seed);
    let is_root = generator.below(3) == 0;
    let source = if is_root { generator.object(3) } else { generator.schema(3) };
    let text = source.to_string();
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let options = ImportOptions { under: (!is_root).then(|| "spec".to_owned()), ..ImportOptions::default() };
    let imported = match import_document(&stream.documents[0], &options) {
        Ok(imported) => imported,
        Err(problems) => {
            // An empty map accepts everything, and is more likely not a schema.
            let is_empty = source == json!({});
            let is_known = is_empty || problems[0].message.starts_with("no object satisfies");
            tally.refused += 1;
            if !is_known {
                wrong.push(format!("seed {seed}: {source:#}\n{problems:?}"));
            }
            return;
        }
    };
    let effect = imported.notes.iter().fold(Exactness::Exact, |joined, note| joined.join_with(note.effect));
    let (wider, narrower) = (effect.may_widen(), effect.may_narrow());
    *match (wider, narrower) {
        (false, false) => &mut tally.exact,
        (true, false) => &mut tally.wider,
        (false, true) => &mut tally.narrower,
        (true, true) => &mut tally.both,
    } += 1;
    let validator = jsonschema::draft202012::new(&source).unwrap();
    let server = ObjectSchema::new(&imported.schema);
    for index in 0..VALUES {
        let value = if is_root && index % 8 != 0 {
            generator.fields(&source, 3)
        } else {
            generator.value(&source, 3)
        };
        let Some((evaluated, object)) = subject(value, is_root) else { continue };
        let answer = server.admit_object(&object, None);
        if answer.warnings.iter().any(|warning| warning.starts_with("unknown field")) {
            tally.skipped += 1;
            continue;
        }
        let (wording, done) = (validator.is_valid(&evaluated), answer.is_accepted());
        if wording == done {
            tally.equal += 1;
            tally.accepted += usize::from(done);
            continue;
        }
        let declared = if done { wider } else { narrower };
        *(if done { &mut tally.really_wider } else { &mut tally.really_narrower }) += 1;
        if !declared {
            wrong.push(format!(
                "seed {seed}: source says {wording}, the server {done}\nvalue {evaluated}\nsource {source}\nimported {}\n{:?}\n{:?}",
                imported.schema,
                answer.errors,
                imported.notes.iter().map(|note| (&note.effect, &note.message)).collect::<Vec<_>>(),
            ));
            return;
        }
    }
}

/// Returns the value that the source evaluates, and the resource that the server evaluates.
fn subject(value: Value, is_root: bool) -> Option<(Value, Value)> {
    let meta = json!({"apiVersion": "example.com/v1", "kind": "Resource", "metadata": {"name": "a"}});
    let mut object = meta.as_object().cloned()?;
    if is_root {
        object.extend(value.as_object()?.clone());
        return Some((Value::Object(object.clone()), Value::Object(object)));
    }
    object.insert("spec".to_owned(), value.clone());
    Some((value, Value::Object(object)))
}

/// Schemas with values that the server evaluates otherwise than the specification, which the losses must declare.
fn differing() -> Vec<(Value, Vec<Value>)> {
    let format = |name: &str| json!({"type": "string", "format": name});
    vec![
        (json!({"enum": [[0]]}), vec![json!([0]), json!([0.0])]),
        (json!({"enum": [[1], "a"]}), vec![json!([1.0]), json!("a")]),
        (json!({"const": {"a": {"b": 2}}}), vec![json!({"a": {"b": 2}}), json!({"a": {"b": 2.0}})]),
        (json!({"enum": [[0.5]]}), vec![json!([0.5])]),
        (
            json!({"const": 9_007_199_254_740_992_u64}),
            vec![json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_992.0)],
        ),
        (json!({"const": 9_007_199_254_740_991_u64}), vec![json!(9_007_199_254_740_991.0)]),
        (
            format("uri"),
            vec![json!("/a"), json!("http://[v1.a]/"), json!("https://a.example/b?c#d"), json!("a b")],
        ),
        (format("email"), vec![json!("Ann <a@b.example>"), json!("a@b.example"), json!("joe@[IPv6:::1]")]),
        (format("hostname"), vec![json!("a.b1"), json!("a.example"), json!("a..b")]),
        (
            format("ipv4"),
            vec![json!("01.2.3.4"), json!("::ffff:192.0.2.1"), json!("192.0.2.1"), json!("256.0.0.1")],
        ),
        (format("ipv6"), vec![json!("::1"), json!("::ffff:1.2.3.4"), json!("1::2::3"), json!("fe80::1%a")]),
        (
            format("uuid"),
            vec![json!("123e4567e89b12d3a456426614174000"), json!("123e4567-e89b-12d3-a456-426614174000")],
        ),
        (format("date"), vec![json!("2024-02-29"), json!("2023-02-29"), json!("24-2-2")]),
        (
            format("date-time"),
            vec![
                json!("1998-12-31T23:59:60Z"),
                json!("2024-01-01T00:00:00+99:99"),
                json!("2024-01-01T00:00:00Z"),
            ],
        ),
        (format("duration"), vec![json!("1h30m"), json!("P1Y"), json!("PT1H"), json!("3 days")]),
    ]
}

#[test]
fn losses_of_listed_values_and_formats_are_declared_in_their_direction() {
    let (mut wider, mut narrower) = (0, 0);
    for (source, values) in differing() {
        let text = source.to_string();
        let stream = kvrules_syntax::parse_stream(FileId(0), &text);
        let options = ImportOptions { under: Some("spec".to_owned()), ..ImportOptions::default() };
        let imported = import_document(&stream.documents[0], &options).unwrap();
        let effect =
            imported.notes.iter().fold(Exactness::Exact, |joined, note| joined.join_with(note.effect));
        let validator = jsonschema::options().should_validate_formats(true).build(&source).unwrap();
        let server = ObjectSchema::new(&imported.schema);
        for value in values {
            let (_, object) = subject(value.clone(), false).unwrap();
            let (wording, done) =
                (validator.is_valid(&value), server.admit_object(&object, None).is_accepted());
            if wording == done {
                continue;
            }
            *(if done { &mut wider } else { &mut narrower }) += 1;
            let is_declared = if done { effect.may_widen() } else { effect.may_narrow() };
            assert!(
                is_declared,
                "{source} with {value}: the source says {wording}, the server {done}; {effect:?}"
            );
        }
    }
    assert!(wider >= 6 && narrower >= 6, "{wider} wider, {narrower} narrower");
}
