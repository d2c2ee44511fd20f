//! Output of targets, compared with the definitions: on values made from each definition, and on keys near its name.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at a surprise, and shows how much was compared"
)]

use std::collections::{BTreeMap, BTreeSet};

use kvrules_diagnostics::{Exactness, FileId};
use kvrules_extra_specs::glance::write_metadefs;
use kvrules_extra_specs::lints::EXTRA_SPEC_VALUE;
use kvrules_extra_specs::nova::{NovaDefinition, NovaValidator};
use kvrules_extra_specs::{
    Checker, Definition, DefinitionRegistry, ValidationMode, ValueType, json_schema, parse_definitions,
    shipped_document,
};
use serde_json::{Map, Value, json};

/// Definitions with a bit of everything that Nova's have not.
const ODD: &str = r"
kind: ExtraSpecDefinitions
version: 1
definitions:
- {name: 'acme:level', description: x, value: {type: integer, min: -12, max: 105}}
- {name: 'acme:debt', description: x, value: {type: integer, max: -3}}
- {name: 'acme:any', description: x, value: {type: integer, min: 17}}
- {name: 'acme:word', description: x, value: {type: string, pattern: '\w+'}}
- {name: 'acme:not', description: x, value: {type: string, pattern: '(?!a).'}}
- {name: 'acme:if', description: x, value: {type: string, pattern: '(a)?(?(1)b|c)'}}
- {name: 'acme:a.{x}', description: x, value: {type: string, enum: ['x', 'y z', '']}, parameters: [{name: x, pattern: '[a-z]+'}]}
- {name: 'acme:a.b', description: x, value: {type: boolean}}
";

fn odd() -> Vec<Definition> {
    let (document, _) = parse_definitions(FileId(1), ODD);
    assert_eq!(document.definitions.len(), 8);
    document.expand_definitions()
}

/// One of each family, and all others.
fn definitions() -> Vec<Definition> {
    let mut families = BTreeSet::new();
    let mut all = shipped_document().expand_definitions();
    all.retain(|one| one.family.as_ref().is_none_or(|family| families.insert(family.clone())));
    all.extend(odd());
    all
}

/// Values at the edges of what a definition takes, and values of every other sort.
fn values(definition: &Definition) -> Vec<String> {
    let mut values: Vec<String> = [
        "",
        " ",
        "0",
        "1",
        "-1",
        "+1",
        "01",
        "1_0",
        "1__0",
        "١",
        " 7 ",
        "7\n",
        "\u{a0}7",
        "1.0",
        "0x1",
        "true",
        "True",
        " yes",
        "\u{1c}on",
        "Y",
        "tru",
        "off",
        "٣",
        "0-3",
        "0-3,^1",
        "^0",
        "1GB",
        "1gb",
        "large",
        "any",
        "a:1",
        "a:1,b:2",
        "a,b",
        "required",
        "é",
        "a",
        "b",
        "word_1",
        "sloppy value",
        "9999999999999999999999",
        "-9999999999999999999999",
        "tpm-tis",
        "1.2",
        "2.0",
    ]
    .map(str::to_owned)
    .to_vec();
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            for bound in [min, max].into_iter().flatten() {
                values.extend((-2..=2).map(|step| (bound + step).to_string()));
                values.extend([format!("{bound}0"), format!("0{}", bound.unsigned_abs())]);
            }
        }
        ValueType::String { members: Some(members), .. } => {
            for member in members {
                let word = member.value();
                values.extend([word.to_owned(), format!("{word}x"), format!(" {word}"), word.to_uppercase()]);
            }
        }
        _ => {}
    }
    values
}

/// A key that a definition takes.
fn key(nova: &NovaValidator, definition: &Definition) -> String {
    if definition.parameters.is_empty() {
        return definition.name.clone();
    }
    let tries = ["", "0", "1", "GOLD", "a", "_NET1"];
    let with = |text: &&str| {
        let fill =
            |name: String, one: &kvrules_extra_specs::Parameter| name.replace(&one.to_placeholder(), text);
        definition.parameters.iter().fold(definition.name.clone(), fill)
    };
    let second = |first: &str, text: &str| {
        let mut parameters = definition.parameters.iter();
        let name = definition.name.clone();
        let name = parameters.next().map_or(name.clone(), |one| name.replace(&one.to_placeholder(), first));
        parameters.next().map_or(name.clone(), |one| name.replace(&one.to_placeholder(), text))
    };
    let takes =
        |key: &String| nova.find_definition(key).is_some_and(|found| found.definition == definition.name);
    let both = tries.iter().flat_map(|one| tries.iter().map(move |other| second(one, other)));
    tries.iter().map(with).chain(both).find(takes).unwrap_or_else(|| panic!("no key for {}", definition.name))
}

/// True if losses permit the difference between our verdict and that of a target.
fn allows(losses: &[Exactness], ours: bool, theirs: bool) -> bool {
    match (ours, theirs) {
        (true, false) => losses.contains(&Exactness::Narrower),
        (false, true) => losses.contains(&Exactness::Wider),
        _ => true,
    }
}

fn losses(all: &[kvrules_extra_specs::glance::MetadefLoss]) -> BTreeMap<&str, Vec<Exactness>> {
    let mut by_name: BTreeMap<&str, Vec<Exactness>> = BTreeMap::new();
    for loss in all {
        by_name.entry(&loss.definition).or_default().push(loss.kind);
    }
    by_name
}

fn rejects(checker: &Checker<'_>, key: &str, value: &str) -> bool {
    checker.check_one(key, value).iter().any(kvrules_extra_specs::Finding::is_rejection)
}

/// The part of a schema that is about a definition's values.
fn part<'s>(schema: &'s Value, key: &str) -> &'s Value {
    let found = schema["properties"].get(key).or_else(|| {
        let patterns = schema["patternProperties"].as_object().unwrap();
        let about = |pattern: &&String| jsonschema::is_valid(&json!({"pattern": pattern}), &json!(key));
        patterns.iter().find(|(pattern, _)| about(pattern)).map(|(_, part)| part)
    });
    found.unwrap_or_else(|| panic!("{key}"))
}

/// Values on which a schema differs from the definition, in a way that is not said.
fn unexpressed(
    checker: &Checker<'_>,
    definition: &Definition,
    key: &str,
    schema: &Value,
    losses: &[Exactness],
) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    let differs = |value: &String| {
        let ours = !rejects(checker, key, value);
        !allows(losses, ours, validator.is_valid(&json!(value)))
    };
    values(definition).into_iter().filter(differs).collect()
}

#[test]
fn the_json_schema_takes_the_values_that_definitions_take_or_says_where_not() {
    let all = definitions();
    let (registry, nova) = (DefinitionRegistry::new([all.clone()]), NovaValidator::from_definitions(&all));
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let schema = json_schema(&all, ValidationMode::Strict);
    let losses = losses(&schema.losses);
    let (mut compared, mut unsayable, mut noticed, mut mutated) = (0, 0, 0, 0);
    for definition in &all {
        let of_it = losses.get(definition.name.as_str()).cloned().unwrap_or_default();
        if of_it.contains(&Exactness::Unsupported) {
            unsayable += 1;
            continue;
        }
        let key = key(&nova, definition);
        let own = part(&schema.document, &key);
        // Values that cannot be decided count as rejected.
        assert_eq!(
            unexpressed(&checker, definition, &key, own, &of_it),
            [""; 0],
            "{}: {own}",
            definition.name
        );
        compared += values(definition).len();
        for keyword in ["pattern", "enum"] {
            let mut without = own.clone();
            // A schema without this keyword is wider, which must be noticed unless it claims to be wider already.
            let removed = without.as_object_mut().unwrap().remove(keyword).is_some();
            if removed && !of_it.contains(&Exactness::Wider) {
                mutated += 1;
                noticed += usize::from(!unexpressed(&checker, definition, &key, &without, &of_it).is_empty());
            }
        }
    }
    println!(
        "json-schema: {} definitions, {compared} values, {unsayable} unsupported; mutants noticed {noticed}/{mutated}",
        all.len()
    );
    assert_eq!((noticed, unsayable), (mutated, 0));
    assert_eq!(losses.get("acme:not"), None, "look-ahead is known to both");
    assert_eq!(losses["acme:if"], [Exactness::Wider]);
    assert_eq!(losses["acme:word"], [Exactness::Wider]);
    assert_eq!(losses["acme:a.b"], [Exactness::Narrower]);
}

#[test]
fn the_json_schema_takes_the_keys_that_definitions_take() {
    let all = definitions();
    let (registry, nova) = (DefinitionRegistry::new([all.clone()]), NovaValidator::from_definitions(&all));
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let strict = jsonschema::validator_for(&json_schema(&all, ValidationMode::Strict).document).unwrap();
    let permissive =
        jsonschema::validator_for(&json_schema(&all, ValidationMode::Permissive).document).unwrap();
    let mut compared = 0;
    // For overlapping names, the losses describe the keys and values that are accepted.
    for definition in all.iter().filter(|definition| definition.name != "acme:a.b") {
        let key = key(&nova, definition);
        for key in [
            format!("{key}x"),
            key.replace('_', "-"),
            key.replace(['.', ':'], "_"),
            key.to_uppercase(),
            key.clone(),
        ] {
            let is_known = registry.find_definition(&key).is_some();
            for value in ["1", "true", "required", "\u{7f}"] {
                let reported = checker.check_one(&key, value);
                if reported.iter().any(|found| found.lint == &EXTRA_SPEC_VALUE) {
                    continue;
                }
                let object = Value::from(Map::from_iter([(key.clone(), json!(value))]));
                assert_eq!(strict.is_valid(&object), is_known, "{key}={value}");
                assert!(is_known || permissive.is_valid(&object), "{key}={value}");
                compared += 1;
            }
        }
    }
    println!("json-schema: {compared} keys");
    assert!(compared > 400);
}

/// A value as somebody types it into a form for a property of a metadef.
fn typed(property: &Value, value: &str) -> Value {
    match property["type"].as_str() {
        Some("integer") if value.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) => {
            serde_json::from_str(value).unwrap_or_else(|_| json!(value))
        }
        Some("boolean") if value == "true" || value == "false" => json!(value == "true"),
        _ => json!(value),
    }
}

#[test]
fn metadefs_take_the_values_that_definitions_take_or_say_where_not() {
    let all = definitions();
    let (registry, nova) = (DefinitionRegistry::new([all.clone()]), NovaValidator::from_definitions(&all));
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let written = write_metadefs(&all, "X::");
    let losses = losses(&written.losses);
    let mut compared = 0;
    for file in &written.files {
        let prefix = file.document["resource_type_associations"][0]["prefix"].as_str().unwrap_or_default();
        for (name, property) in file.document["properties"].as_object().unwrap() {
            let key = format!("{prefix}{name}");
            let definition = nova.find_definition(&key).unwrap_or_else(|| panic!("{key}")).definition;
            let definition = all.iter().find(|one| one.name == definition).unwrap();
            let of_it = losses.get(definition.name.as_str()).cloned().unwrap_or_default();
            let validator = jsonschema::validator_for(property).unwrap();
            for value in values(definition) {
                let (ours, theirs) =
                    (!rejects(&checker, &key, &value), validator.is_valid(&typed(property, &value)));
                assert!(allows(&of_it, ours, theirs), "{key}={value:?}: {ours} {theirs} {of_it:?}");
                compared += 1;
            }
        }
    }
    println!("glance-metadefs: {compared} values");
    assert!(compared > 2_000);
    assert!(NovaDefinition::from(&all[0]).pattern.is_none());
}

#[test]
fn a_registry_beside_itself_shows_nothing_but_what_backtracks() {
    use kvrules_extra_specs::{RegistryNoteKind, cross_check};
    let all = shipped_document().expand_definitions();
    let notes = cross_check(&all, &all);
    for note in &notes {
        println!("{}: {}", note.kind.as_str(), note.message);
    }
    assert!(notes.iter().all(|note| note.kind == RegistryNoteKind::Exponential));
    assert!(notes.iter().any(|note| note.name == "hw:pmem"));
    let mut changed = all.clone();
    changed.retain(|one| one.name != "hw:cpu_policy");
    changed[4].value.r#type = ValueType::Boolean;
    let kinds: BTreeSet<_> = cross_check(&changed, &all)
        .iter()
        .chain(&cross_check(&all, &changed))
        .map(|note| note.kind)
        .collect();
    assert!(
        kinds.contains(&RegistryNoteKind::Missing)
            && (kinds.contains(&RegistryNoteKind::Extra) || kinds.contains(&RegistryNoteKind::NearMiss))
    );
}

#[test]
fn a_pattern_that_is_too_large_to_decide_is_told() {
    use kvrules_extra_specs::{RegistryNoteKind, cross_check, parse_definitions};
    let notes = |pattern: &str| {
        let text = format!(
            "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
             - {{name: 'a:b', description: x, value: {{type: string, pattern: '{pattern}'}}}}\n"
        );
        let all = parse_definitions(kvrules_diagnostics::FileId(0), &text).0.expand_definitions();
        assert_eq!(all.len(), 1);
        cross_check(&all, &all)
    };
    let large = notes(r"[a-z]{1000}[a-z]{1000}[a-z]{1000}x");
    assert_eq!(large.len(), 1, "{large:?}");
    assert_eq!(large[0].kind, RegistryNoteKind::Undecided);
    assert_eq!(large[0].message, "too large to decide if the pattern takes Python exponential time");
    assert_eq!(notes("(a+)+b").first().map(|note| note.kind), Some(RegistryNoteKind::Exponential));
    assert_eq!(notes("[a-z]{10}x"), []);
}
