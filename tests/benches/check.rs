//! `check` against a bare YAML parse of the same bytes, in time, on two threads, and in memory; and the built command.

#[path = "check/process.rs"]
mod process;

use std::{hint::black_box, thread};

use kvrules::{FileId, SourceFile};
use kvrules_tests::{
    bench::{PeakAllocator, compare_times, duration_ratio},
    repository_root, template_bundles,
};

#[global_allocator]
static MEMORY: PeakAllocator = PeakAllocator::new();

const ROUNDS: usize = 25;

fn main() {
    let inputs = inputs();
    for (name, text) in &inputs {
        one_thread(name, text);
    }
    two_threads(&inputs);
    process::run();
}

/// The released bundles; without them our own examples, many times over.
fn inputs() -> Vec<(String, String)> {
    let bundles = template_bundles();
    if !bundles.is_empty() {
        return bundles;
    }
    println!("an example stands in for the released bundles");
    let example = std::fs::read_to_string(repository_root().join("docs/examples/linux-server.yaml"))
        .unwrap_or_default();
    vec![("linux-server.yaml × 100".to_owned(), vec![example; 100].join("---\n"))]
}

fn one_thread(name: &str, text: &str) {
    let source = SourceFile::new(FileId(0), name, text);
    let (bare, check) = compare_times(ROUNDS, || events(text), || check(&source));
    let peak = MEMORY.peak_of(|| {
        let source = SourceFile::new(FileId(0), name, text);
        kvrules::read_rules(&source)
    });
    println!("check {name} ({} bytes)", text.len());
    println!(
        "  time    {:.2} × a bare saphyr-parser event loop (goal 1.7); {check:.1?} against {bare:.1?}",
        duration_ratio(check, bare)
    );
    println!(
        "  memory  {:.2} × the input at the most, the text included (goal 6)",
        peak as f64 / text.len() as f64
    );
}

fn events(text: &str) {
    let events = saphyr_parser::Parser::new_from_str(text).filter_map(Result::ok).count();
    black_box(events);
}

fn check(source: &SourceFile) {
    black_box(kvrules::read_rules(source).diagnostics.len());
}

/// Twelve files on one thread and on two.
fn two_threads(inputs: &[(String, String)]) {
    let files: Vec<_> =
        inputs.iter().cycle().take(12).map(|(name, text)| SourceFile::new(FileId(0), name, text)).collect();
    let (first, second): (Vec<_>, Vec<_>) = files.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let all = || files.iter().for_each(check);
    let halved = || {
        thread::scope(|scope| {
            scope.spawn(|| first.iter().for_each(|(_, file)| check(file)));
            second.iter().for_each(|(_, file)| check(file));
        });
    };
    let (one, two) = compare_times(ROUNDS / 5, all, halved);
    println!("check {} files", files.len());
    println!("  threads {:.2} × as fast on two threads as on one", duration_ratio(one, two));
}
