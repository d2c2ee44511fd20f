//! Hostile runs of the real program: damaged files of every kind through every subcommand. `cargo xtask hostile` runs it.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kvrules_tests::hostile::{CaseGenerator, HostileCase, TestedProgram, find_broken_property, reduce_case};
use rayon::prelude::*;

/// So many cases are made before they are run.
const BATCH: usize = 64;
/// More finds than these are the same few.
const MOST_FINDS: usize = 30;

struct HostileArgs {
    runs: usize,
    seed: u64,
}

/// Result of one case.
struct CaseResult {
    case: HostileCase,
    time: Duration,
    broken: Option<String>,
}

fn main() -> ExitCode {
    let Some(requested) = parse_args(std::env::args().skip(1)) else {
        eprintln!("usage: hostile [--runs N] [--seed N]");
        return ExitCode::from(2);
    };
    match run_cases(&requested) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse_args(mut args: impl Iterator<Item = String>) -> Option<HostileArgs> {
    // Without a given seed, a new one is used and printed.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let mut requested = HostileArgs { runs: 5000, seed: now };
    while let Some(option) = args.next() {
        let value = args.next()?;
        match option.as_str() {
            "--runs" => requested.runs = value.parse().ok()?,
            "--seed" => requested.seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(requested)
}

fn run_cases(requested: &HostileArgs) -> std::io::Result<usize> {
    println!("{} runs from the seed {}", requested.runs, requested.seed);
    let program = TestedProgram::build()?;
    let mut generator = CaseGenerator::new(requested.seed)?;
    let (start, mut done) = (Instant::now(), 0);
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    let mut finds: BTreeMap<String, usize> = BTreeMap::new();
    while done < requested.runs && finds.len() < MOST_FINDS {
        let cases: Vec<_> = (0..BATCH.min(requested.runs - done)).map(|_| generator.make_case()).collect();
        done += cases.len();
        let evaluated = cases
            .into_par_iter()
            .map(|case| run_case(&program, case))
            .collect::<std::io::Result<Vec<_>>>()?;
        for CaseResult { case, time, broken } in evaluated {
            slowest.push((time, case.command_line()));
            let Some(what) = broken else { continue };
            let known = finds.entry(kind(&case, &what)).or_default();
            *known += 1;
            if *known == 1 {
                let case = reduce_finding(&program, &case, &what);
                println!("FOUND {what}\n  {}\n{}", case.command_line(), case.to_text());
            }
        }
        slowest.sort();
        slowest.reverse();
        slowest.truncate(5);
    }
    println!(
        "{done} cases in {:.0?}, seed {}: {} different finds",
        start.elapsed(),
        requested.seed,
        finds.len()
    );
    for (what, number) in &finds {
        println!("  {number} × {what}");
    }
    println!("the slowest:");
    for (time, line) in slowest {
        println!("  {time:.1?} {line}");
    }
    Ok(finds.len())
}

fn run_case(program: &TestedProgram, case: HostileCase) -> std::io::Result<CaseResult> {
    let runs = program.run_case(&case)?;
    let time = runs.iter().map(|run| run.time).max().unwrap_or_default();
    let broken = find_broken_property(&case, &runs);
    Ok(CaseResult { case, time, broken })
}

/// Returns the common part of finds with the same cause.
fn kind(case: &HostileCase, what: &str) -> String {
    let command: Vec<_> =
        case.args.iter().take(2).filter(|arg| !arg.contains(['.', '-'])).map(String::as_str).collect();
    let words = what.split(|char: char| char.is_ascii_digit() || matches!(char, '`' | '"'));
    format!("{}: {}", command.join(" "), words.collect::<String>().chars().take(60).collect::<String>())
}

fn reduce_finding(program: &TestedProgram, case: &HostileCase, what: &str) -> HostileCase {
    let wanted = kind(case, what);
    reduce_case(case, |case| {
        let broken = program.run_case(case).ok().and_then(|runs| find_broken_property(case, &runs));
        broken.is_some_and(|what| kind(case, &what) == wanted)
    })
}
