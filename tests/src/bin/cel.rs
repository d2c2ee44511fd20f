//! Tells what expressions come to, a line for each evaluation, for another engine to be held against:
//! `cargo xtask cel`.

use std::io::{self, BufWriter, Write as _};
use std::process::ExitCode;

use rayon::prelude::*;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for file in std::env::args_os().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let reported: Result<Vec<_>, _> =
            lines.par_iter().map(|line| kvrules_tests::cel::evaluate_line(line)).collect();
        for evaluation in reported?.into_iter().flatten() {
            writeln!(out, "{evaluation}")?;
        }
    }
    out.flush()?;
    Ok(())
}
