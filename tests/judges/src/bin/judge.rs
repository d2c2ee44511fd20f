//! `cargo xtask judge [NAME…] [--seed N] [--minutes M | --claims N]`: runs the judges, all of them unless some are named, each for
//! the time or the number of claims. Without a seed a random one is taken and printed. Status 1 if a claim is refuted, if
//! none of a kind is confirmed of which runs of this length have some, or if the judge does not list a kind.
//!
//! `judge --evaluations N [--seed N]` writes evaluations of the judge of decisions instead, for another implementation of CEL.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kvrules_judges::{Budget, JUDGES, Judge, SOLVER_JUDGE, find_judge, write_evaluations};

/// The parsed command line.
struct Options {
    judges: Vec<&'static Judge>,
    seed: u64,
    extent: Extent,
    /// Number of evaluations to write in place of a run.
    evaluations: Option<usize>,
}

/// Extent of the run of each judge.
enum Extent {
    Claims(u64),
    Time(Duration),
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let options = match parse_options(&args) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::from(2);
        }
    };
    if let Some(number) = options.evaluations {
        for line in write_evaluations(options.seed, number) {
            println!("{line}");
        }
        return ExitCode::SUCCESS;
    }
    let mut is_right = true;
    for judge in &options.judges {
        println!("{} (seed {}): {}", judge.name, options.seed, judge.claims);
        let budget = match options.extent {
            Extent::Claims(number) => Budget::Claims(number),
            Extent::Time(duration) => Budget::lasting(duration),
        };
        let tally = (judge.run)(options.seed, &budget);
        println!("{tally}");
        let blind = judge.blind_kinds(&tally);
        for kind in &blind {
            println!("none confirmed, though a run of this length has some: {kind}");
        }
        let unlisted = judge.unlisted_kinds(&tally);
        for kind in &unlisted {
            println!("not listed by the judge: {kind}");
        }
        // An empty run has shown nothing.
        is_right &= tally.number_wrong() == 0 && tally.made() > 0 && blind.is_empty() && unlisted.is_empty();
    }
    ExitCode::from(u8::from(!is_right))
}

fn parse_options(args: &[String]) -> Result<Options, String> {
    let random = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut options = Options {
        judges: Vec::new(),
        seed: random,
        extent: Extent::Time(Duration::from_secs(60)),
        evaluations: None,
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut number = || -> Result<f64, String> {
            let value = rest.next().ok_or_else(|| format!("missing value of {arg}"))?;
            value.parse().map_err(|_| format!("invalid value `{value}` of {arg}"))
        };
        match arg.as_str() {
            "--seed" => options.seed = number()? as u64,
            "--minutes" => options.extent = Extent::Time(Duration::from_secs_f64(number()?.max(0.0) * 60.0)),
            "--evaluations" => options.evaluations = Some(number()? as usize),
            "--claims" => options.extent = Extent::Claims(number()? as u64),
            name => options.judges.push(find_judge(name).ok_or_else(|| {
                let names: Vec<_> = JUDGES.iter().chain([&SOLVER_JUDGE]).map(|judge| judge.name).collect();
                format!("unknown judge `{name}`; judges: {}", names.join(", "))
            })?),
        }
    }
    if options.judges.is_empty() {
        options.judges = JUDGES.to_vec();
    }
    Ok(options)
}
