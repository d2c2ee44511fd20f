//! The rules of real definitions, lifted and confirmed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_cel::value::from_schema;
use kvrules_lift::{
    DefinitionRule, FormulaScope, OpaqueKind, RuleFailures, RuleValues, definition_rules, examine_rule,
    lift_expression, lift_rule,
};
use rayon::prelude::*;
use serde_json::Value as Json;

/// The rules of real definitions, each text once.
fn real_rules() -> Vec<DefinitionRule<'static>> {
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
        let documents = documents.map_while(|document| serde::Deserialize::deserialize(document).ok());
        documents.flat_map(|definition: Json| rules_of(&definition)).collect::<Vec<_>>()
    };
    once(files.par_iter().flat_map_iter(of_file).collect())
}

fn rules_of(definition: &Json) -> Vec<DefinitionRule<'static>> {
    let versions = ResourceVersion::of_definition(definition);
    versions.iter().flat_map(|version| definition_rules(&version.schema)).collect()
}

/// Rules with different texts; of the same text that on the smallest schema.
fn once(rules: Vec<DefinitionRule<'static>>) -> Vec<DefinitionRule<'static>> {
    let mut found: HashMap<String, DefinitionRule<'static>> = HashMap::new();
    for rule in rules {
        found.entry(rule.source.rule.clone()).or_insert(rule);
    }
    let mut rules: Vec<DefinitionRule<'static>> = found.into_values().collect();
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
