//! All targets of a bundle in one pass, and the proof of what they claim, against their goals.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvrules::{Catalog, FileId, Request, SourceFile, all_targets, verify::verify_targets};
use kvrules_tests::template_bundles;

const ROUNDS: usize = 5;

/// For all targets of a bundle, on one core, after reading.
const COMPILED: Duration = Duration::from_millis(100);

/// For the proof of a bundle.
const VERIFIED: Duration = Duration::from_secs(2);

fn main() {
    for (name, text) in template_bundles() {
        let source = SourceFile::new(FileId(0), &name, text);
        let read = kvrules::read_rules(&source).sets;
        let (templates, rules) = (read.len(), read.iter().map(|set| set.rules.len()).sum::<usize>());
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one = one.expect("a thread can be started");
        let compiled = best(|| {
            one.install(|| {
                let sets = kvrules::merge_rule_sets(read.clone());
                black_box(
                    kvrules::compile_targets(all_targets(), &Request::for_virtual_machines(&sets))
                        .map(|outputs| outputs.len())
                        .ok(),
                );
            });
        });
        let sets = kvrules::merge_rule_sets(read.clone());
        let mut comparisons = 0;
        let verified = best(|| {
            let report = verify_targets(
                all_targets(),
                &Request::for_virtual_machines(&sets),
                Catalog::kubevirt_vm(),
                &|_, _| (),
            );
            comparisons = report.comparisons;
        });
        println!("verify {name}: {templates} templates, {rules} rules, {} targets", all_targets().len());
        reported("compile", compiled, COMPILED, rules);
        reported("verify ", verified, VERIFIED, rules);
        println!("  {comparisons} comparisons");
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let time = |()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    std::iter::repeat_n((), ROUNDS).map(time).min().unwrap_or_default()
}

fn reported(what: &str, time: Duration, goal: Duration, rules: usize) {
    let share = time.as_secs_f64() / goal.as_secs_f64();
    let speed = rules as f64 / time.as_secs_f64().max(f64::EPSILON);
    println!("  {what} {share:.2} × the goal of {goal:?}: {time:.1?}, {speed:.0} rules/s");
}
