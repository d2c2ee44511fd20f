//! Fuzzing without a fuzzer: damages texts of a corpus and holds kvrules to its promises, for so many seconds.
//! `cargo xtask fuzz` runs it. The libFuzzer targets in `tests/fuzz` hold kvrules to the same.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

use kvrules_tests::fuzz::{FuzzTarget, Mutator, load_corpus};

/// More finds than these are the same few.
const MOST_FINDS: usize = 20;

struct FuzzArgs {
    seconds: u64,
    seed: u64,
    targets: Vec<FuzzTarget>,
}

fn main() -> ExitCode {
    let Some(requested) = parse_args(std::env::args().skip(1).collect()) else {
        eprintln!("usage: fuzz [--seconds N] [--seed N] [--target read|fix|migrate|fmt]");
        return ExitCode::from(2);
    };
    std::panic::set_hook(Box::new(|_| {}));
    let corpus = load_corpus();
    let mut mutator = Mutator::new(requested.seed);
    let (start, mut executions, mut finds) = (Instant::now(), 0_u64, BTreeSet::new());
    while start.elapsed() < Duration::from_secs(requested.seconds) && finds.len() < MOST_FINDS {
        let text = mutator.next_input(&corpus);
        for target in &requested.targets {
            executions += 1;
            if let Some(what) = find_broken_property(*target, &text) {
                let name = format!("{}: {what}", target.name());
                if finds.insert(name.clone()) {
                    println!("FOUND {name}\n{:?}\n", minimize_text(*target, &text, &what));
                }
            }
        }
    }
    let names: Vec<_> = requested.targets.iter().map(|target| target.name()).collect();
    println!(
        "{executions} executions of {} from {} texts in {:.0?}, seed {}: {} different finds",
        names.join(", "),
        corpus.len(),
        start.elapsed(),
        requested.seed,
        finds.len()
    );
    if finds.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse_args(args: Vec<String>) -> Option<FuzzArgs> {
    let mut requested = FuzzArgs { seconds: 60, seed: 1, targets: FuzzTarget::ALL.to_vec() };
    let mut args = args.into_iter();
    while let Some(option) = args.next() {
        let value = args.next()?;
        match option.as_str() {
            "--seconds" => requested.seconds = value.parse().ok()?,
            "--seed" => requested.seed = value.parse().ok()?,
            "--target" => {
                requested.targets = vec![FuzzTarget::ALL.into_iter().find(|target| target.name() == value)?]
            }
            _ => return None,
        }
    }
    Some(requested)
}

/// Returns the property that a text violates, without the location of a panic.
fn find_broken_property(target: FuzzTarget, text: &str) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| target.check_text(text))) {
        Ok(result) => result.err(),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown kind");
            Some(format!("panic: {}", words.lines().next().unwrap_or_default()))
        }
    }
}

/// The text with all that can go and still breaks the same.
fn minimize_text(target: FuzzTarget, text: &str, what: &str) -> String {
    let same = |text: &str| find_broken_property(target, text).is_some_and(|found| are_alike(&found, what));
    let start = Instant::now();
    let mut text = text.to_owned();
    for piece in ['\n', ' '] {
        let mut size = text.split_inclusive(piece).count() / 2;
        while size > 0 && start.elapsed() < Duration::from_secs(20) {
            let mut at = 0;
            loop {
                let parts: Vec<_> = text.split_inclusive(piece).collect();
                if at >= parts.len() {
                    break;
                }
                let end = (at + size).min(parts.len());
                let less: String = parts[..at].iter().chain(&parts[end..]).copied().collect();
                if same(&less) { text = less } else { at = end }
            }
            size /= 2;
        }
    }
    text
}

/// True if two finds are the same except for what is quoted in them.
fn are_alike(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.split('`').step_by(2).collect::<String>();
    bare(one).chars().take(60).eq(bare(other).chars().take(60))
}
