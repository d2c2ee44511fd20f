//! Claims about rules of annotations: what `check` says that rules are to each other (KV601, KV602, KV604, KV605, KV606), and the
//! directions of `diff`. Their meaning is that of `docs/internals/meaning.md`.

use kvrules::diff::{SideFile, compare_sides, read_units};
use kvrules::{Catalog, Diagnostic, FileId, SourceFile, read_catalog, read_rules_with};
use serde_json::{Map, Value as Json, json};

use super::evaluate::{PATTERNS, is_pattern_match};
use crate::{Random, Tally};

/// Rules of one annotation.
const RULES: usize = 5;

/// Objects that are tried.
const OBJECTS: usize = 500;

const SCHEMA: &str = r#"{"type": "object", "required": ["r"], "properties": {
  "n": {"type": "integer"}, "r": {"type": "integer"}, "d": {"type": "integer", "default": 1}, "s": {"type": "string"},
  "o": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}},
  "l": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}}
}}"#;

/// Paths to integers, and to texts.
const INTS: [&str; 5] = [".n", ".r", ".d", ".o.n", ".l[*].n"];
const STRINGS: [&str; 3] = [".s", ".o.s", ".l[*].s"];
const GUARDS: [&str; 5] = [".o", ".n", ".s", ".l[*]", ".d"];
const TEXTS: [&str; 6] = ["", "a", "b", "ab", "ba", "abab"];

/// A pattern that no text matches. [`is_pattern_match`] does not know it.
const NEVER: &str = "b$a";

/// What a rule does with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Skipped,
    Satisfied,
    Violated,
}

fn generate_rule(random: &mut Random, name: &str) -> Json {
    let is_int = random.chance(1, 2);
    let path = *random.choose::<&str>(if is_int { &INTS } else { &STRINGS });
    let mut rule =
        json!({"name": name, "path": format!("jsonpath::{path}"), "message": format!("about {path}")});
    let kind = match (is_int, random.below(4)) {
        (true, 0) => "enum",
        (true, _) => "integer",
        (false, 0 | 1) => "regex",
        (false, 2) => "string",
        (false, _) => "enum",
    };
    rule["rule"] = json!(kind);
    match random.below(3) {
        0 => {}
        1 => rule["valid"] = json!(format!("jsonpath::{}", random.choose(&GUARDS))),
        _ => rule["valid"] = rule["path"].clone(),
    }
    add_arguments(&mut rule, kind, is_int, random);
    rule
}

fn add_arguments(rule: &mut Json, kind: &str, is_int: bool, random: &mut Random) {
    match kind {
        "integer" => {
            let least = random.between(0, 3);
            match random.below(5) {
                0 => rule["min"] = json!(least),
                1 => rule["max"] = json!(least),
                2 => rule["max"] = json!(format!("jsonpath::{}", random.choose(&INTS[..4]))),
                _ => {
                    rule["min"] = json!(least);
                    rule["max"] = json!(least + random.between(0, 2));
                }
            }
        }
        "string" => {
            let fewest = random.between(0, 2);
            rule["minLength"] = json!(fewest);
            rule["maxLength"] = json!(fewest + random.between(0, 2));
        }
        "regex" if random.chance(1, 8) => rule["regex"] = json!(NEVER),
        "regex" => rule["regex"] = json!(random.choose(&PATTERNS).0),
        _ => {
            let mut values: Vec<String> = if is_int {
                (0..1 + random.below(3)).map(|_| random.between(0, 4).to_string()).collect()
            } else {
                (0..1 + random.below(3)).map(|_| (*random.choose(&TEXTS)).to_owned()).collect()
            };
            values.sort();
            values.dedup();
            rule["values"] = json!(values);
        }
    }
}

fn generate_object(random: &mut Random) -> Json {
    let mut object = Map::new();
    object.insert("r".to_owned(), json!(random.between(-1, 5)));
    let part = |random: &mut Random| {
        let mut part = Map::new();
        if random.chance(2, 3) {
            part.insert("n".to_owned(), json!(random.between(-1, 5)));
        }
        if random.chance(2, 3) {
            part.insert("s".to_owned(), json!(random.choose(&TEXTS)));
        }
        part
    };
    object.extend(part(random));
    if random.chance(1, 2) {
        object.insert("d".to_owned(), json!(random.between(-1, 5)));
    }
    if random.chance(1, 2) {
        object.insert("o".to_owned(), Json::Object(part(random)));
    }
    if random.chance(2, 3) {
        let items: Vec<Json> = (0..random.below(3)).map(|_| Json::Object(part(random))).collect();
        object.insert("l".to_owned(), json!(items));
    }
    Json::Object(object)
}

/// The values that a path finds; a field with a default is always there.
fn values_at(object: &Json, path: &str) -> Vec<Json> {
    let mut values = vec![object.clone()];
    for step in path.split('.').skip(1) {
        let (name, is_list) = step.strip_suffix("[*]").map_or((step, false), |name| (name, true));
        values = values
            .iter()
            .filter_map(|value| value.get(name).cloned().or_else(|| (path == ".d").then(|| json!(1))))
            .collect();
        if is_list {
            values = values.iter().flat_map(|list| list.as_array().cloned().unwrap_or_default()).collect();
        }
    }
    values
}

fn evaluate_rule(rule: &Json, object: &Json) -> Verdict {
    let path = |key: &str| rule[key].as_str().and_then(|text| text.strip_prefix("jsonpath::"));
    if path("valid").is_some_and(|guard| values_at(object, guard).is_empty()) {
        return Verdict::Skipped;
    }
    let mut limits = [None, None];
    for (limit, key) in limits.iter_mut().zip(["min", "max"]) {
        *limit = match path(key) {
            Some(other) => match values_at(object, other).as_slice() {
                [value] => value.as_i64(),
                _ => return Verdict::Violated,
            },
            None => rule[key].as_i64(),
        };
    }
    let values = path("path").map(|path| values_at(object, path)).unwrap_or_default();
    let passes = |value: &Json| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let length = text.chars().count() as i64;
        let is_within = |number: i64, [least, most]: [Option<i64>; 2]| {
            least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
        };
        match rule["rule"].as_str() {
            Some("integer") => value.as_i64().is_some_and(|number| is_within(number, limits)),
            Some("string") => is_within(length, [rule["minLength"].as_i64(), rule["maxLength"].as_i64()]),
            Some("regex") => {
                rule["regex"].as_str().and_then(|it| is_pattern_match(it, &text)).unwrap_or(false)
            }
            _ => rule["values"].as_array().is_some_and(|listed| listed.contains(&json!(text))),
        }
    };
    match !values.is_empty() && values.iter().all(passes) {
        true => Verdict::Satisfied,
        false => Verdict::Violated,
    }
}

fn annotation(rules: &[Json]) -> String {
    format!("validations: |\n  {}\n", Json::Array(rules.to_vec()))
}

/// Judges findings about the rules of a generated annotation, and the comparison with a changed one.
pub(crate) fn judge_annotations(random: &mut Random, origin: &str, tally: &mut Tally) {
    let rules: Vec<Json> = (0..RULES).map(|index| generate_rule(random, &format!("r{index}"))).collect();
    let objects: Vec<Json> = (0..OBJECTS).map(|_| generate_object(random)).collect();
    let Ok(catalog) = read_catalog(&SourceFile::new(FileId(0), "schema.yaml", SCHEMA), None) else {
        tally.unjudged("a schema that is not read");
        return;
    };
    judge_relations(&rules, &objects, &catalog, origin, tally);
    let mut changed = rules.clone();
    let index = random.below(RULES);
    changed[index] = match random.below(4) {
        0 => generate_rule(random, &format!("r{index}")),
        _ => {
            let mut rule = rules[index].clone();
            let kind = rule["rule"].as_str().unwrap_or_default().to_owned();
            let is_int = INTS.iter().any(|path| rule["path"] == json!(format!("jsonpath::{path}")));
            add_arguments(&mut rule, &kind, is_int, random);
            rule
        }
    };
    judge_change([&rules, &changed], &objects, &catalog, origin, tally);
}

fn judge_relations(rules: &[Json], objects: &[Json], catalog: &Catalog, origin: &str, tally: &mut Tally) {
    let source = SourceFile::new(FileId(1), "rules.yaml", annotation(rules));
    let reading = read_rules_with(&source, catalog);
    let verdicts: Vec<Vec<Verdict>> =
        rules.iter().map(|rule| objects.iter().map(|object| evaluate_rule(rule, object)).collect()).collect();
    for finding in &reading.diagnostics {
        let Some((kind, refuted)) = refuting_object(finding, &verdicts) else { continue };
        let details = refuted.map(|at| {
            format!(
                "schema: {SCHEMA}\n{}\nclaim: {}\nrefuted by: {}",
                annotation(rules),
                finding.message,
                objects[at]
            )
        });
        tally.judge(kind, origin, details);
    }
}

/// The kind of a claim, and the object that refutes it.
fn refuting_object(finding: &Diagnostic, verdicts: &[Vec<Verdict>]) -> Option<(&'static str, Option<usize>)> {
    let named: Vec<usize> = finding
        .message
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|name| name.strip_prefix('r')?.parse().ok())
        .filter(|index| *index < verdicts.len())
        .collect();
    let (first, others) = named.split_first()?;
    let of = |rule: usize, object: usize| verdicts[rule][object];
    let objects = 0..verdicts.first()?.len();
    let find = |refutes: &dyn Fn(usize) -> bool| objects.clone().find(|object| refutes(*object));
    let are_others =
        |object: usize, is: &dyn Fn(Verdict) -> bool| others.iter().all(|it| is(of(*it, object)));
    Some(match finding.code {
        "KV601" if others.len() == 1 => (
            "KV601 contradiction",
            find(&|at| {
                of(*first, at) == Verdict::Satisfied && are_others(at, &|it| it == Verdict::Satisfied)
            }),
        ),
        "KV602" if !others.is_empty() => (
            "KV602 implied",
            find(&|at| of(*first, at) == Verdict::Violated && are_others(at, &|it| it != Verdict::Violated)),
        ),
        "KV604" if others.len() == 1 => (
            "KV604 same rule",
            find(&|at| {
                (of(*first, at) == Verdict::Violated) != are_others(at, &|it| it == Verdict::Violated)
            }),
        ),
        "KV605" if others.len() == 1 => (
            "KV605 never applicable",
            find(&|at| of(*first, at) != Verdict::Skipped && are_others(at, &|it| it != Verdict::Violated)),
        ),
        "KV606" => ("KV606 always satisfied", find(&|at| of(*first, at) == Verdict::Violated)),
        _ => return None,
    })
}

fn judge_change(sides: [&[Json]; 2], objects: &[Json], catalog: &Catalog, origin: &str, tally: &mut Tally) {
    let files = [0, 1].map(|id: usize| {
        let source = SourceFile::new(FileId(id as u32), "rules.yaml", annotation(sides[id]));
        let units = read_units(&source, catalog).unwrap_or_default();
        [SideFile { path: String::new(), source, units }]
    });
    let Ok(diff) = compare_sides(&files[0], &files[1]) else {
        tally.unjudged("the annotations cannot be compared");
        return;
    };
    let accepts = |rules: &[Json], object: &Json| {
        rules.iter().all(|rule| evaluate_rule(rule, object) != Verdict::Violated)
    };
    let newly = |is_accepted: bool| {
        let shows = |it: &&Json| accepts(sides[1], it) == is_accepted && accepts(sides[0], it) != is_accepted;
        objects.iter().find(shows).map(Json::to_string)
    };
    if diff.changes().any(|change| !change.proved) {
        tally.missed("annotations: directions");
        return;
    }
    let is_tightening = diff.changes().any(|it| it.direction.is_tightening());
    let is_loosening = diff.changes().any(|it| it.direction.is_loosening());
    let refutation = newly(false).filter(|_| !is_tightening).or(newly(true).filter(|_| !is_loosening));
    let kind = match (is_tightening, is_loosening) {
        (true, true) => "annotations: incomparable",
        (true, false) => "annotations: tightened",
        (false, true) => "annotations: loosened",
        (false, false) => "annotations: equal",
    };
    let details = refutation.map(|object| {
        let [old, new] = sides.map(annotation);
        format!("schema: {SCHEMA}\nold: {old}new: {new}claim: {kind}\nrefuted by: {object}")
    });
    tally.judge(kind, origin, details);
}
