//! The rules of real definitions and of recorded cases, lifted and confirmed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::value::from_schema;
use kvrules_generate::PlaceStep;
use kvrules_lift::{
    DefinitionRule, FormulaScope, LiftedExpression, OpaqueKind, RuleFailures, RuleValues, agrees_on,
    definition_rules, examine_rule, lift_expression, lift_rule,
};
use rayon::prelude::*;
use serde_json::Value as Json;

/// The rules of real definitions, each text once.
fn real_rules() -> Vec<DefinitionRule> {
    let mut files = Vec::new();
    for name in ["kubernetes/crds", "kubernetes/crds-2", "suites"] {
        if let Some(folder) = kvrules_testdata::find_path(name) {
            collect(&folder, name != "suites", &mut files);
        }
    }
    files.sort();
    let of_file = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let documents = serde_yaml::Deserializer::from_str(&text);
        let documents = documents.filter_map(|document| serde::Deserialize::deserialize(document).ok());
        documents.flat_map(|definition: Json| rules_of(&definition)).collect::<Vec<_>>()
    };
    once(files.par_iter().flat_map_iter(of_file).collect())
}

fn rules_of(definition: &Json) -> Vec<DefinitionRule> {
    let versions = ResourceVersion::of_definition(definition);
    versions.iter().flat_map(|version| definition_rules(&version.schema)).collect()
}

/// Rules with different texts; of the same text that on the smallest schema.
fn once(rules: Vec<DefinitionRule>) -> Vec<DefinitionRule> {
    let mut found: HashMap<String, DefinitionRule> = HashMap::new();
    for rule in rules {
        found.entry(rule.source.rule.clone()).or_insert(rule);
    }
    let mut rules: Vec<DefinitionRule> = found.into_values().collect();
    rules.sort_by(|a, b| a.source.rule.cmp(&b.source.rule));
    rules
}

fn collect(folder: &Path, is_wanted: bool, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, is_wanted || name.contains("crd"), files);
        } else if is_wanted && path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
}

struct Lifting {
    lifted: usize,
    objects: usize,
    /// Lifted rules with fewer than 200 objects.
    few: usize,
    /// Lifted rules that some objects pass and others do not.
    both: usize,
    wrong: Vec<String>,
    opaque: BTreeMap<OpaqueKind, Vec<String>>,
}

fn lift_all(rules: &[DefinitionRule]) -> Lifting {
    let mut lifting =
        Lifting { lifted: 0, objects: 0, few: 0, both: 0, wrong: Vec::new(), opaque: BTreeMap::new() };
    let results: Vec<_> = rules.par_iter().map(|rule| lift_rule(rule, 240)).collect();
    for (rule, result) in rules.iter().zip(results) {
        let text = rule.source.rule.trim().to_owned();
        match result {
            Ok(lifted) => {
                lifting.lifted += 1;
                let confirmation = lifted.confirmation;
                lifting.objects += confirmation.objects;
                lifting.few += usize::from(confirmation.objects < 200);
                let others = confirmation.rejected + confirmation.errors;
                lifting.both += usize::from(confirmation.accepted > 0 && others > 0);
            }
            Err(opaque) if opaque.kind == OpaqueKind::Contradicted => lifting.wrong.push(text),
            Err(opaque) => lifting.opaque.entry(opaque.kind).or_default().push(text),
        }
    }
    lifting
}

#[test]
fn rules_of_real_definitions_are_lifted() {
    let rules = real_rules();
    if rules.is_empty() {
        return;
    }
    let lifting = lift_all(&rules);
    println!(
        "{} different rules, {} lifted, {} objects; {} lifted with fewer than 200 objects; {} with objects of both verdicts",
        rules.len(),
        lifting.lifted,
        lifting.objects,
        lifting.few,
        lifting.both
    );
    for (kind, texts) in &lifting.opaque {
        println!("  {} opaque: {kind}", texts.len());
        texts.iter().take(6).for_each(|text| println!("      {}", text.replace('\n', " ")));
    }
    println!("{} contradicted", lifting.wrong.len());
    lifting.wrong.iter().for_each(|text| println!("      {}", text.replace('\n', " ")));
    assert!(lifting.wrong.is_empty());
    assert!(lifting.lifted * 100 >= rules.len() * 99);
    assert!(lifting.both * 100 >= lifting.lifted * 95, "{}", lifting.both);
}

/// A proof that a rule is constant holds on all values that are made for the rule, and so does a proof that it ends in no error
/// because something is absent.
#[test]
fn proofs_about_real_rules_hold_on_objects() {
    let rules = real_rules();
    if rules.is_empty() {
        return;
    }
    let (mut constant, mut safe, mut shown, mut open) = (0, 0, 0, 0);
    for rule in rules.iter().filter(|rule| !rule.source.is_transition_rule()) {
        let Ok((expression, checked)) = rule.check_types() else { continue };
        let Ok(formulas) = lift_expression(&expression, &checked, &[]) else { continue };
        let (sense, text) = (examine_rule(rule, &formulas), &rule.source.rule);
        if sense.is_always_true || sense.is_never_true {
            constant += 1;
            let mut values = RuleValues::new(rule, &formulas);
            for index in 0..200 {
                let value = values.make_value(index);
                let Some(value) = values.accepted_value(&value) else { continue };
                let scope = FormulaScope::new().with_root("self", from_schema(&value, &rule.schema));
                assert_eq!(scope.formula_holds(&formulas.holds), sense.is_always_true, "{text}: {value}");
            }
        }
        let mut failures = RuleFailures::default();
        let found = failures.find_failure(0, rule, &expression, &formulas, &[]).is_some();
        match (sense.may_fail, found) {
            (true, true) => shown += 1,
            (true, false) => open += 1,
            (false, _) => {
                assert!(!found, "{text}");
                safe += 1;
            }
        }
    }
    println!(
        "{} rules: {constant} are constant, {safe} find all that they read, {shown} end in an error, {open} may",
        rules.len()
    );
    assert!(constant > 0 && safe > 300 && shown > 2 * open, "{constant} {safe} {shown} {open}");
}

/// The rules of recorded definitions and their formulas, on the recorded objects as the server stores them.
#[test]
fn formulas_agree_with_the_server_on_recorded_objects() {
    let names = ["kubernetes/crd-cases.jsonl", "kubernetes/crd-cases-2.jsonl"];
    let cases: Vec<Json> =
        names.iter().filter_map(|name| kvrules_testdata::read_rows(name)).flatten().collect();
    if cases.is_empty() {
        return;
    }
    let compared: Vec<Compared> = cases.par_iter().map(compare_case).collect();
    let sum = |count: fn(&Compared) -> usize| compared.iter().map(count).sum::<usize>();
    let wrong: Vec<&String> = compared.iter().flat_map(|it| &it.wrong).collect();
    println!(
        "{} of {} rules in {} cases have formulas, {} values, {} wrong",
        sum(|it| it.lifted),
        sum(|it| it.rules),
        cases.len(),
        sum(|it| it.values),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(sum(|it| it.values) > 1_000);
}

#[derive(Default)]
struct Compared {
    rules: usize,
    lifted: usize,
    values: usize,
    wrong: Vec<String>,
}

fn compare_case(case: &Json) -> Compared {
    let mut compared = Compared::default();
    let objects = case.get("objects").and_then(Json::as_array);
    for version in ResourceVersion::of_definition(&case["crd"]) {
        let server = ObjectSchema::new(&version.schema).without_metadata_checks();
        for rule in definition_rules(&version.schema) {
            compared.rules += 1;
            let Ok((expression, checked)) = rule.check_types() else { continue };
            let roots: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
            let Ok(formulas) = lift_expression(&expression, &checked, roots) else { continue };
            compared.lifted += 1;
            for entry in objects.into_iter().flatten() {
                let admission = server.admit_object(&entry["object"], None);
                // Rules do not run on values of wrong types.
                if admission.cost.is_none() {
                    continue;
                }
                let object = admission.stored;
                let old = entry.get("old").map(|old| server.admit_object(old, None).stored);
                for (value, old) in values_at(&object, old.as_ref(), &rule.place) {
                    if old.is_none() && rule.source.rule.contains("oldSelf") && roots.is_empty() {
                        continue;
                    }
                    compared.values += 1;
                    if !agrees(&rule, &expression, &formulas, value, old) {
                        compared.wrong.push(format!("{}: {} on {value}", case["id"], rule.source.rule));
                    }
                }
            }
        }
    }
    compared
}

fn agrees(
    rule: &DefinitionRule,
    expression: &kvrules_cel::ast::Expression,
    formulas: &LiftedExpression,
    value: &Json,
    old: Option<&Json>,
) -> bool {
    value.is_null() || agrees_on(rule, expression, formulas, value, old)
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
