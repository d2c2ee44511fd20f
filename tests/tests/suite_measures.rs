//! Coverage and mutants of real definitions with their suites.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use kvrules::test::{
    CoverageCount, MutantStatus, SuiteLibrary, collect_rules, find_suites, measure_coverage, measure_mutants,
    suggest_cases,
};
use kvrules_tests::suites::Disk;

/// Measures of the first definition of a suite: coverage, mutants by status, and survivors that the suggested cases kill.
#[derive(Debug, PartialEq, Eq)]
struct Measured {
    coverage: CoverageCount,
    killed: usize,
    survived: usize,
    undecided: usize,
    equivalent: usize,
    suggested: usize,
    killed_by_suggested: usize,
}

fn measure(path: &str) -> Option<Measured> {
    let folder = kvrules_testdata::find_path(&format!("suites/openshift-api/{path}"))?;
    let mut library = SuiteLibrary::new(&Disk);
    let found = find_suites(&mut library, &[folder], None);
    let all = collect_rules(&found.suites);
    let rules = &all[0];
    let started = std::time::Instant::now();
    let coverage = measure_coverage(rules);
    println!(
        "{path}: {} rules, {} cases, coverage in {:?}",
        coverage.len(),
        rules.cases.len(),
        started.elapsed()
    );
    for rule in &coverage {
        println!("  {} {:?} {}", rule.site.name, rule.count_outcomes(), rule.describe_missing().join("; "));
    }
    let report = measure_mutants(rules);
    println!("  mutants in {:?}, score {:?}", started.elapsed(), report.total_score());
    for result in &report.mutants {
        if result.status != MutantStatus::Killed {
            println!("  {:?} {}: {}", result.status, result.mutant.name, result.mutant.description);
        }
    }
    let suggested = suggest_cases(rules, &report, "crd.yaml");
    println!("  suggested in {:?}", started.elapsed());
    for case in suggested.iter().flat_map(|(file, _)| &file.cases) {
        println!("  + {} {:?} {}", case.name, case.expect, serde_json::to_string(&case.object).unwrap());
    }
    let total =
        coverage.iter().fold(CoverageCount::default(), |sum, rule| sum.add_count(rule.count_outcomes()));
    Some(Measured {
        coverage: total,
        killed: report.count_status(MutantStatus::Killed),
        survived: report.count_status(MutantStatus::Survived),
        undecided: report.count_status(MutantStatus::Undecided),
        equivalent: report.count_status(MutantStatus::Equivalent),
        suggested: suggested.as_ref().map_or(0, |(file, _)| file.cases.len()),
        killed_by_suggested: suggested.map_or(0, |(_, killed)| killed),
    })
}

impl Measured {
    fn assert_is(&self, coverage: (usize, usize), mutants: [usize; 4], suggested: usize) {
        println!("{self:?}");
        assert_eq!((self.coverage.covered, self.coverage.total), coverage);
        assert_eq!([self.killed, self.survived, self.undecided, self.equivalent], mutants);
        assert_eq!(self.suggested, suggested);
        // Each suggested case kills the survivor that it was made for, and some kill others.
        assert!(self.killed_by_suggested >= self.survived, "{self:?}");
    }
}

#[test]
fn internal_release_images_are_measured() {
    let Some(measured) = measure(
        "machineconfiguration/v1alpha1/tests/internalreleaseimages.machineconfiguration.openshift.io",
    ) else {
        return;
    };
    measured.assert_is((11, 14), [16, 32, 23, 2], 31);
}

#[test]
fn os_image_streams_are_measured() {
    let Some(measured) =
        measure("machineconfiguration/v1alpha1/tests/osimagestreams.machineconfiguration.openshift.io")
    else {
        return;
    };
    measured.assert_is((44, 48), [53, 3, 22, 0], 3);
}

#[test]
fn data_gathers_are_measured() {
    let Some(measured) = measure("insights/v1alpha1/tests/datagathers.insights.openshift.io") else { return };
    measured.assert_is((84, 106), [84, 75, 40, 3], 67);
}

/// The requests that all rules answer for the mutants of a RuleSet with so many rules, each on a field of its own.
fn requests_of_mutants(count: usize) -> usize {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutants-{count}"));
    std::fs::create_dir_all(&folder).unwrap();
    let fields: String = (0..count).map(|at| format!("f{at}: {{type: integer}}, ")).collect();
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\n\
         spec:\n  group: example.com\n  scope: Namespaced\n  names: {{kind: Pond, plural: ponds, singular: pond, listKind: PondList}}\n  \
         versions:\n  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}}}}}\n"
    );
    let rules: String = (0..count)
        .map(|at| format!("  - {{name: r{at}, path: spec.f{at}, integer: {{min: 3, max: 100}}}}\n"))
        .collect();
    let set = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Pond}}\n  rules:\n{rules}"
    );
    let case = |at: usize, value: usize, expect: &str| {
        format!(
            "- {{name: f{at} of {value}, expect: {expect}, object: {{apiVersion: example.com/v1, kind: Pond, metadata: {{name: a}}, spec: {{f{at}: {value}}}}}}}\n"
        )
    };
    let cases: String = (0..count).map(|at| case(at, 3, "accept") + &case(at, 2, "reject")).collect();
    let suite = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [set.yaml, crd.yaml]\ncases:\n{cases}"
    );
    for (name, text) in [("crd.yaml", definition), ("set.yaml", set), ("set.test.yaml", suite)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let mut library = SuiteLibrary::new(&Disk);
    let found = find_suites(&mut library, &[folder], None);
    let all = collect_rules(&found.suites);
    let rules = all.iter().find(|rules| rules.document["kind"] == "RuleSet").unwrap();
    let report = measure_mutants(rules);
    // The upper bound is never reached by a case.
    let of_status = |status| report.count_status(status);
    assert_eq!((of_status(MutantStatus::Killed), of_status(MutantStatus::Survived)), (5 * count, 2 * count));
    report.mutants.iter().map(|mutant| mutant.requests).sum()
}

#[test]
fn a_mutant_of_one_rule_asks_the_others_about_few_requests() {
    let (few, many) = (requests_of_mutants(6), requests_of_mutants(24));
    // Four times the rules and the cases; each mutant asks as often as before.
    assert!(many <= 5 * few, "{few} requests, then {many}");
}
