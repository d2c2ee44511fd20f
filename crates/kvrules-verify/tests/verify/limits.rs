//! Rules that are too many or too large for a whole proof: what is said of them, and how much is looked at.

use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Emitter, Request, find_emitter};
use kvrules_regex::Matcher;
use kvrules_verify::{ClaimFinding, Report, verify_targets};

use crate::rules::{faults, sets, targets};

/// Verifies rules with these keys, each on the same field.
fn report(targets: &[&'static Emitter], rules: &[String]) -> Report {
    let rules: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(index, keys)| format!(r#"{{"name": "r{index}", "message": "m", {keys}}}"#))
        .collect();
    let text = format!(
        "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: '[{}]'\n",
        rules.join(",")
    );
    verify_targets(
        targets,
        &Request::for_virtual_machines(&sets(&text, "set")),
        Catalog::kubevirt_vm(),
        &|_, _| (),
    )
}

#[test]
fn a_set_of_many_rules_is_compared_on_a_sample_and_not_endless() {
    let cores = |index: usize| {
        format!(
            r#""path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "min": {index}, "max": {}"#,
            1000 + index
        )
    };
    let rules: Vec<String> = (0..60).map(cores).collect();
    let report = report(&[find_emitter("openapi").unwrap()], &rules);
    assert_eq!(report.rules, 60);
    assert!(faults(&report).is_empty(), "{:?}", faults(&report));
    let set = &report.targets[0].sets[0];
    assert!(set.is_sample && set.inconclusive.is_none());
    // Each rule is evaluated on each object.
    assert!(set.objects * 60 <= 200_000, "{}", set.objects);
}

#[test]
fn a_long_list_of_values_is_inconclusive_and_not_endless() {
    let list = |count: usize| {
        let values: Vec<String> = (0..count).map(|index| format!("\"value{index}\"")).collect();
        format!(r#""path": "jsonpath::.spec.hostname", "rule": "enum", "values": [{}]"#, values.join(","))
    };
    let small = report(&[find_emitter("openapi").unwrap()], &[list(300)]);
    assert!(!small.is_inconclusive() && small.objects > 1_500, "{}", small.objects);
    let large = report(&[find_emitter("openapi").unwrap()], &[list(5_000)]);
    assert!(large.is_inconclusive() && large.all_claims_hold());
    assert!(large.objects < 1_000, "{}", large.objects);
}

/// The number of expressions that are compiled to verify rules with these patterns for all targets.
fn compilations(patterns: &[String]) -> (Report, u64) {
    let rule = |pattern: &String| {
        format!(r#""path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "{pattern}""#)
    };
    let rules: Vec<String> = patterns.iter().map(rule).collect();
    // Compilations are counted per thread, so use only one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let before = Matcher::compilation_count();
        let report = report(&targets(), &rules);
        (report, Matcher::compilation_count() - before)
    })
}

#[test]
fn verify_of_a_large_alternation_compiles_it_once() {
    let branches: Vec<String> =
        (0..5_000).map(|index| format!("model-{:05}", index * 7919 % 99_991)).collect();
    let (report, compiled) = compilations(&[format!("^({})$", branches.join("|"))]);
    assert!(report.all_claims_hold() && !report.is_inconclusive(), "{:?}", faults(&report));
    assert!(report.comparisons > 1_000, "{}", report.comparisons);
    assert!((1..=2).contains(&compiled), "{compiled}");
}

#[test]
fn verify_of_a_repeated_class_of_unicode_compiles_it_once() {
    let (report, compiled) = compilations(&[r"^\\pL{1,100}$".to_owned()]);
    assert!(report.all_claims_hold() && !report.is_inconclusive(), "{:?}", faults(&report));
    assert!(report.comparisons > 1_000, "{}", report.comparisons);
    assert!((1..=2).contains(&compiled), "{compiled}");
}

#[test]
fn verify_with_100_rules_on_one_field_asks_a_bounded_number_of_times() {
    let path = r#""path": "jsonpath::.spec.hostname", "rule": "regex""#;
    let rule = |index: usize| format!(r#"{path}, "regex": "^[a-z0-9-]{{1,{}}}$""#, index + 5);
    let rules: Vec<String> = (0..100).map(rule).collect();
    let report = report(&[find_emitter("openapi").unwrap()], &rules);
    assert!(faults(&report).is_empty(), "{:?}", faults(&report));
    let set = &report.targets[0].sets[0];
    assert!(set.is_sample && set.inconclusive.is_none());
    // A proof takes 100,000 evaluations at most, and without one a part of them is enough.
    assert!((1..=1_000).contains(&set.objects), "{}", set.objects);
}

/// A rule that lists `count` names of its own, and one that all such rules list.
fn list_of_names(rule: usize, count: usize) -> String {
    let values: Vec<String> = (0..count).map(|index| format!("\"m{rule}-{index}\"")).collect();
    let path = r#""path": "jsonpath::.spec.hostname""#;
    format!(r#"{path}, "rule": "enum", "values": ["common", {}]"#, values.join(","))
}

#[test]
fn many_values_in_many_rules_of_a_set_are_inconclusive_and_not_endless() {
    let rules: Vec<String> = (0..60).map(|rule| list_of_names(rule, 300)).collect();
    let report = report(&[find_emitter("annotation").unwrap()], &rules);
    assert!(report.all_claims_hold() && report.is_inconclusive());
    assert!(report.objects <= 100_000 / 2, "{}", report.objects);
    let few = self::report(&[find_emitter("annotation").unwrap()], &rules[..1]);
    // For 60 such rules, the objects exceed the limit of a proof.
    assert!(!few.is_inconclusive() && few.objects * 60 > 100_000, "{}", few.objects);
}

#[test]
fn many_rules_with_many_values_on_one_field_are_asked_about_a_part_of_them() {
    let rules: Vec<String> = (0..40).map(|rule| list_of_names(rule, 200)).collect();
    let report = report(&[find_emitter("annotation").unwrap()], &rules);
    assert!(report.all_claims_hold() && !report.is_inconclusive());
    let set = &report.targets[0].sets[0];
    assert!(set.is_sample && set.inconclusive.is_none());
    // Each list takes the time of three evaluations, of each rule and of all together: a tenth of those that a proof may take.
    assert!((10..=100).contains(&set.objects), "{}", set.objects);
}

#[test]
fn three_hundred_rules_on_one_field_are_asked_about_few_objects() {
    let path = r#""path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "min": 1"#;
    let rules: Vec<String> = (0..300).map(|index| format!(r#"{path}, "max": {}"#, index + 10)).collect();
    let report = report(&[find_emitter("annotation").unwrap()], &rules);
    assert!(report.all_claims_hold() && !report.is_inconclusive());
    let set = &report.targets[0].sets[0];
    assert!((1..=40).contains(&set.objects), "{}", set.objects);
    assert!(report.objects <= 300 * 40, "{}", report.objects);
}

#[test]
fn a_pattern_that_is_too_large_for_the_engine_of_schemas_is_no_fault() {
    let (report, _) = compilations(&[r"^\\pL{1,1000}$".to_owned()]);
    assert!(report.all_claims_hold() && report.is_inconclusive(), "{:?}", faults(&report));
    let finding = |target: &str| {
        let found = report.targets.iter().find(|report| report.target == target).unwrap();
        found.rules[0].finding.clone()
    };
    assert_eq!(finding("annotation"), ClaimFinding::Exact);
    let why = "too large to decide: the regular expressions are too large";
    assert_eq!(finding("json-schema"), ClaimFinding::Inconclusive(why.to_owned()));
}

#[test]
fn a_pattern_that_is_nested_too_deep_for_the_engine_of_schemas_is_no_fault() {
    let stars = |depth: usize| format!("^{}a{}$", "(".repeat(depth), ")*".repeat(depth));
    let (report, _) = compilations(&[stars(400)]);
    assert!(report.all_claims_hold() && report.is_inconclusive(), "{:?}", faults(&report));
    let (report, _) = compilations(&[stars(24)]);
    assert!(report.all_claims_hold() && !report.is_inconclusive(), "{:?}", faults(&report));
}

#[test]
fn expressions_that_take_too_much_memory_together_are_inconclusive() {
    let patterns: Vec<String> = (0..3).map(|index| format!(r"^\\pL{{1,1000}}{index}$")).collect();
    let rule = |pattern: &String| {
        format!(r#""path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "{pattern}""#)
    };
    let rules: Vec<String> = patterns.iter().map(rule).collect();
    let report = report(&[find_emitter("annotation").unwrap()], &rules);
    let set = &report.targets[0].sets[0];
    assert!(
        set.inconclusive.as_deref().is_some_and(|why| why.contains("expressions are too large")),
        "{set:?}"
    );
    assert_eq!(set.objects, 0);
}
