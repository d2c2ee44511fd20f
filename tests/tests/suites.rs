//! Suites that other projects wrote, read and run by the product. They are among the recorded data, and are skipped where they are
//! absent. Every difference from what their authors expect is listed here, with who is right.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::path::{Path, PathBuf};

use kvrules::test::{CaseStatus, SuiteFiles, SuiteLibrary, TestCase, TestSuite, find_suites, run_case};
use kvrules_tests::suites::Disk;

/// Number of cases of a folder by status, and the descriptions of those that differ or are not run.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    skipped: Vec<String>,
    differing: Vec<String>,
    findings: Vec<String>,
}

impl Tally {
    fn of_folder(name: &str) -> Option<Self> {
        Self::of_files(name, &Disk)
    }

    fn of_files(name: &str, files: &dyn SuiteFiles) -> Option<Self> {
        let folder = kvrules_testdata::find_path(&format!("suites/{name}"))?;
        let mut library = SuiteLibrary::new(files);
        let found = find_suites(&mut library, &[folder], None);
        let mut tally = Self::default();
        for suite in &found.suites {
            for finding in &suite.findings {
                tally.findings.push(format!("{}: {}", suite.path, finding.message));
            }
            for case in &suite.cases {
                tally.add(suite, case);
            }
        }
        let all = tally.passed + tally.differing.len();
        println!("{name}: {} of {all} agree, {} not run", tally.passed, tally.skipped.len());
        for line in tally.findings.iter().chain(&tally.skipped).chain(&tally.differing) {
            println!("  {line}");
        }
        Some(tally)
    }

    fn add(&mut self, suite: &TestSuite, case: &TestCase) {
        let result = run_case(case);
        let title = format!("{} {}", suite.path, case.name);
        match result.status {
            CaseStatus::Passed => self.passed += 1,
            CaseStatus::Skipped => {
                self.skipped.push(format!("{title}: {}", case.skipped.as_deref().unwrap_or_default()));
            }
            CaseStatus::Failed | CaseStatus::Broken => {
                self.differing.push(format!("{title}: {:?}", result.mismatches));
            }
        }
    }

    fn finish(&self, passed: usize, skipped: usize, differing: usize) {
        assert_eq!((self.passed, self.skipped.len(), self.differing.len()), (passed, skipped, differing));
    }
}

#[test]
fn suites_of_openshift_agree() {
    let Some(tally) = Tally::of_folder("openshift-api") else { return };
    tally.finish(1076, 0, 0);
}

/// The files of the machine without one suite.
struct WithoutOne;

impl SuiteFiles for WithoutOne {
    fn read_text(&self, path: &Path) -> Result<String, String> {
        Disk.read_text(path)
    }

    fn list_folder(&self, folder: &Path) -> Vec<PathBuf> {
        let is_left_out = |path: &Path| path.to_string_lossy().ends_with("InsightsOnDemandDataGather.yaml");
        Disk.list_folder(folder).into_iter().filter(|path| !is_left_out(path)).collect()
    }

    fn is_folder(&self, path: &Path) -> bool {
        Disk.is_folder(path)
    }
}

#[test]
fn a_suite_that_is_not_read_is_missed() {
    let Some(tally) = Tally::of_files("openshift-api", &WithoutOne) else { return };
    assert!(tally.differing.is_empty() && tally.passed < 1076, "{} cases", tally.passed);
}

#[test]
fn objects_of_istio_agree() {
    let Some(tally) = Tally::of_folder("istio") else { return };
    tally.finish(74, 0, 0);
}

#[test]
fn tests_of_kubescape_agree() {
    let Some(tally) = Tally::of_folder("kubescape") else { return };
    tally.finish(293, 0, 0);
}

#[test]
fn tests_of_kyverno_agree() {
    let Some(tally) = Tally::of_folder("kyverno") else { return };
    tally.finish(3, 0, 0);
}

#[test]
fn tests_of_policies_of_kyverno_agree() {
    let Some(tally) = Tally::of_folder("kyverno-policies") else { return };
    tally.finish(169, 34, 0);
}

#[test]
fn suites_of_gatekeeper_agree() {
    let Some(tally) = Tally::of_folder("gatekeeper") else { return };
    tally.finish(30, 0, 0);
}

#[test]
fn tests_of_kaptest_agree() {
    let Some(tally) = Tally::of_folder("kaptest") else { return };
    // Its own negative test: kaptest wants the namespace among the objects, and the policy denies the object as well.
    tally.finish(27, 0, 1);
}

#[test]
fn tests_of_kat_agree() {
    let Some(tally) = Tally::of_folder("kat/test-policies-pass") else { return };
    // `kat` gives match conditions a namespace, and a server gives them none: the policy of one case denies every request.
    // admission/plugin/webhook/matchconditions/matcher.go, Match
    tally.finish(37, 0, 1);
}

#[test]
fn tests_of_kat_that_fail_fail() {
    let Some(tally) = Tally::of_folder("kat/test-policies-fail") else { return };
    // The data of the third folder lack the texts of its warnings, which makes its test fail.
    tally.finish(3, 0, 2);
}
