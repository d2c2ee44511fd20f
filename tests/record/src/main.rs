//! Records what every command of kvrules answers to every input, and compares the answers of two programs.
//!
//! `cargo xtask record` builds the programs and starts this. The answers of a program are kept as one line for each run, with the
//! status, a digest of the output, and counts. Where the digests of two programs differ, both run again, and what differs is listed
//! by kind, each with one example.

mod answer;
mod compare;
mod counts;
mod flatten;
mod inputs;
mod instructions;
mod matrix;
mod reasons;
mod run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::run::Runner;

const USAGE: &str = "\
usage: record answers PROGRAM FOLDER [--only TEXT]
       record compare BEFORE AFTER FOLDER [--only TEXT] [--reasons FILE]
       record instructions PROGRAM FOLDER

FOLDER gets the inputs and the answers. With --only, only runs that contain TEXT count. With --reasons, every kind of a
count that is worse needs a line in FILE.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Returns true if nothing is worse.
fn dispatch(args: &[String]) -> Result<bool, String> {
    let (places, options) = split_options(args)?;
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let folder = |path: &str| std::path::absolute(path).map_err(|error| format!("{path}: {error}"));
    match places.as_slice() {
        ["answers", program, place] => {
            let runner = Runner::new(Path::new(program), &folder(place)?)?;
            let answers = answer::record(&runner, &options.only)?;
            println!("{} runs are recorded", answers.len());
            Ok(true)
        }
        ["compare", before, after, place] => {
            let place = folder(place)?;
            let reasons = reasons::Reasons::read(options.reasons.as_deref())?;
            let runners = [Runner::new(Path::new(before), &place)?, Runner::new(Path::new(after), &place)?];
            compare::compare(&runners, &options.only, &reasons)
        }
        ["instructions", program, place] => {
            instructions::print(&Runner::new(Path::new(program), &folder(place)?)?)?;
            Ok(true)
        }
        _ => Err(USAGE.to_owned()),
    }
}

#[derive(Default)]
struct Options {
    only: String,
    reasons: Option<PathBuf>,
}

fn split_options(args: &[String]) -> Result<(Vec<String>, Options), String> {
    let mut places = Vec::new();
    let mut options = Options::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| USAGE.to_owned());
        match arg.as_str() {
            "--only" => options.only = value()?,
            "--reasons" => options.reasons = Some(value()?.into()),
            option if option.starts_with('-') => return Err(USAGE.to_owned()),
            place => places.push(place.to_owned()),
        }
    }
    Ok((places, options))
}
