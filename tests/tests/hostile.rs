//! Hostile runs, a few of them: `cargo xtask hostile` does many.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use kvrules_tests::hostile::{CaseGenerator, HostileCase, TestedProgram, find_broken_property};
use rayon::prelude::*;

const RUNS: usize = 300;
const SEED: u64 = 20;

#[test]
fn damaged_files_of_every_kind_are_survived_by_every_subcommand() {
    let program = TestedProgram::build().unwrap();
    let mut generator = CaseGenerator::new(SEED).unwrap();
    assert!(generator.file_kinds().len() >= 17, "{:?}", generator.file_kinds());
    let cases: Vec<_> = (0..RUNS).map(|_| generator.make_case()).collect();
    for command in
        ["check", "compile", "docs", "eval", "verify", "diff", "migrate", "fmt", "cost", "flavor", "import"]
    {
        assert!(cases.iter().any(|case| case.args[0] == command), "{command} is not called");
    }
    let broken = |case: &HostileCase| {
        let what = find_broken_property(case, &program.run_case(case).unwrap())?;
        Some(format!("{what}\n  {}\n{}", case.command_line(), case.to_text()))
    };
    let finds: Vec<_> = cases.par_iter().filter_map(broken).collect();
    assert!(finds.is_empty(), "{} finds:\n{}", finds.len(), finds.join("\n"));
}

#[test]
fn what_hostile_runs_found_breaks_no_property_any_more() {
    let program = TestedProgram::build().unwrap();
    let kept = HostileCase::load_kept().unwrap();
    assert!(!kept.is_empty());
    for (path, case) in kept {
        let broken = find_broken_property(&case, &program.run_case(&case).unwrap());
        assert_eq!(broken, None, "{}: {}", path.display(), case.command_line());
    }
}
