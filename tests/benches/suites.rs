//! The suites of openshift/api: the time to read them, and to run all cases on the threads of the machine with each definition
//! compiled once.

use std::time::Instant;

use kvrules::test::{CaseStatus, SuiteLibrary, find_suites, run_case};
use kvrules_tests::suites::Disk;
use rayon::prelude::*;

fn main() {
    let Some(folder) = kvrules_testdata::find_path("suites/openshift-api") else {
        println!("suites: the suites of openshift/api are absent");
        return;
    };
    let started = Instant::now();
    let found = find_suites(&mut SuiteLibrary::new(&Disk), &[folder], None);
    let read = started.elapsed();
    let cases: Vec<_> = found.suites.iter().flat_map(|suite| &suite.cases).collect();
    let passed = cases.par_iter().filter(|case| run_case(case).status == CaseStatus::Passed).count();
    let all = started.elapsed();
    let each = all / u32::try_from(cases.len().max(1)).unwrap_or(u32::MAX);
    println!(
        "suites: {passed} of {} cases of openshift/api pass; read in {read:.2?}, all in {all:.2?}, {each:.2?} a case",
        cases.len()
    );
}
