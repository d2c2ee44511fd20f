//! Validations of recorded policies become RuleSets and policies again, which deny the same requests.
//!
//! The import proves that words say the same. Here the whole way is tried: the document is read again and compiled, and both policies are asked
//! about generated requests.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use kvrules::crd::{ResourceKind, read_policies};
use kvrules::import::{
    ImportContext, ImportedForm, ImportedRule, ImportedRuleSet, import_rule_sets, to_yaml,
};
use kvrules::{FileId, Request, SourceFile, compile_targets, find_emitter};
use kvrules_diff::Direction;
use kvrules_diff::resource::compare_policies;
use kvrules_tests::policies::recorded_policies;
use serde_json::{Value, json};

#[derive(Default)]
struct Counts {
    policies: usize,
    words: usize,
    cel: usize,
    left_out: usize,
    /// RuleSets that were compared, with the validations that they have.
    compared: usize,
    /// Numbers of validations that are not in words, by the reason.
    reasons: BTreeMap<String, usize>,
    faults: Vec<String>,
}

/// The policy of a RuleSet that is read from its text again.
fn compile_again(document: &Value) -> Result<Value, String> {
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", to_yaml(document)));
    let set = reading.rule_sets.first().ok_or_else(|| format!("not read: {:?}", reading.diagnostics))?;
    let versions = set.versions();
    let request = Request {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    let outputs = compile_targets(&[find_emitter("admission-policy").unwrap()], &request)
        .map_err(|error| error.message)?;
    let text = outputs[0].output_files().next().map(|file| file.text.clone()).unwrap_or_default();
    let policies = read_policies(&SourceFile::new(FileId(0), "policy.yaml", text));
    let policy = policies.into_iter().find(|it| it.kind == ResourceKind::Policy).ok_or("no policy")?;
    Ok(Value::clone(&policy.value))
}

/// A policy with those of its validations that a RuleSet has.
fn keep_carried(policy: &Value, set: &ImportedRuleSet) -> Value {
    let is_left_out = |rule: &&ImportedRule| {
        let ImportedForm::LeftOut(reason) = &rule.form else { return false };
        !reason.starts_with("it holds for every object")
    };
    let left_out: Vec<&str> =
        set.rules.iter().filter(is_left_out).map(|rule| rule.pointer.as_str()).collect();
    let mut kept = policy.clone();
    if let Some(validations) = kept["spec"]["validations"].as_array_mut() {
        let mut index = 0..;
        validations.retain(|_| {
            let pointer = index.next().map(|index| format!("/spec/validations/{index}"));
            !pointer.is_some_and(|it| left_out.contains(&it.as_str()))
        });
    }
    kept
}

fn round_trip(policy: &Value, counts: &mut Counts) {
    counts.policies += 1;
    let source = SourceFile::new(FileId(0), "policy.json", policy.to_string());
    let imported = import_rule_sets(&source, ImportContext::default()).unwrap();
    let found = imported.counts();
    counts.words += found.words;
    counts.cel += found.cel;
    counts.left_out += found.left_out;
    for rule in imported.sets.iter().flat_map(|set| &set.rules) {
        let reason = match &rule.form {
            ImportedForm::Words => continue,
            ImportedForm::Cel(reason) => format!("`cel`: {reason}"),
            ImportedForm::LeftOut(reason) => format!("left out: {reason}"),
        };
        *counts.reasons.entry(reason).or_default() += 1;
    }
    for set in &imported.sets {
        compare_again(policy, set, counts);
    }
}

/// Compares the validations that a RuleSet has with those of the policy that it becomes, for objects of its kind.
fn compare_again(policy: &Value, set: &ImportedRuleSet, counts: &mut Counts) {
    // A policy about custom resources that is compiled from a RuleSet excuses unchanged values, as their definitions do.
    let is_excused = set.rules.iter().flat_map(|rule| &rule.lost).any(|lost| lost.starts_with("the denial"));
    let mut policy = keep_carried(policy, set);
    if is_excused || policy["spec"]["validations"].as_array().is_none_or(Vec::is_empty) {
        return;
    }
    let again = match compile_again(&set.document) {
        Ok(again) => again,
        Err(fault) => return counts.faults.push(format!("{}: {fault}", set.name)),
    };
    counts.compared += 1;
    // A policy about several kinds becomes a RuleSet for each.
    policy["spec"]["matchConstraints"] = again["spec"]["matchConstraints"].clone();
    let changes = compare_policies(&policy, &again, &kvrules_crd::RunResources::default()).changes;
    let is_other =
        |direction| matches!(direction, Direction::Tightened | Direction::Loosened | Direction::Incomparable);
    for change in changes.into_iter().filter(|change| is_other(change.direction)) {
        counts.faults.push(format!("{}: {change:?}\n{policy}\n{again}", set.name));
    }
}

#[test]
fn validations_of_policies_survive_the_round_trip() {
    let recorded = recorded_policies().into_iter().filter(|it| it.kind == ResourceKind::Policy);
    let policies: Vec<Value> = recorded.map(|it| Value::clone(&it.value)).collect();
    if policies.is_empty() {
        return;
    }
    let mut counts = Counts::default();
    for policy in &policies {
        round_trip(policy, &mut counts);
    }
    let Counts { policies, words, cel, left_out, compared, reasons, faults } = &counts;
    println!(
        "{policies} policies: {words} validations in words, {cel} as `cel`, {left_out} left out; {compared} RuleSets compiled again"
    );
    for (reason, count) in reasons {
        println!("{count:5} {reason}");
    }
    for fault in faults {
        println!("{}", fault.chars().take(2500).collect::<String>());
    }
    assert!(faults.is_empty(), "{} faults", faults.len());
    assert!(*words > 10 && *compared > 40, "{words} in words, {compared} compared");
}

#[test]
fn another_policy_is_noticed() {
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
        "spec": {
            "matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                "resources": ["deployments"]}]},
            "validations": [{"expression": "!has(object.spec.replicas) || object.spec.replicas <= 5"}],
        },
    });
    let mut counts = Counts::default();
    round_trip(&policy, &mut counts);
    assert!(counts.faults.is_empty() && counts.compared == 1, "{:?}", counts.faults);
    let source = SourceFile::new(FileId(0), "policy.json", policy.to_string());
    let mut document = import_rule_sets(&source, ImportContext::default()).unwrap().sets[0].document.clone();
    document["spec"]["rules"][0]["integer"]["max"] = 6.into();
    let again = compile_again(&document).unwrap();
    let changes = compare_policies(&policy, &again, &kvrules_crd::RunResources::default()).changes;
    assert!(changes.iter().any(|change| change.direction == Direction::Loosened), "{changes:?}");
}

#[test]
fn the_kind_of_the_subject_is_known() {
    let policy = |expression: &str| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
            "spec": {
                "matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                    "resources": ["deployments"]}]},
                "validations": [{"expression": expression}],
            },
        })
    };
    let import = |expression: &str| {
        let source = SourceFile::new(FileId(0), "policy.json", policy(expression).to_string());
        import_rule_sets(&source, ImportContext::default()).unwrap().sets.remove(0)
    };
    let own = import("object.kind != 'Deployment' || has(object.spec) && has(object.spec.replicas)");
    assert_eq!(
        own.document["spec"]["rules"],
        json!([{"name": "replicas-required", "path": "spec.replicas", "required": true}])
    );
    let other = import("object.kind != 'Pod' || has(object.spec)");
    let form = ImportedForm::LeftOut("it holds for every object of the kind `Deployment`".to_owned());
    assert_eq!(other.rules[0].form, form);
}
