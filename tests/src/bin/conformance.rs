//! Runs recorded cases of any known format, from files anywhere on disk: `cargo xtask conformance FILE… [--all]`.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use kvrules_tests::conformance::{
    FORMATS,
    report::{CaseCount, CaseReport, summary_line},
    run::run_cases,
};

/// Number of differences of a file that are shown by default.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .partition(|arg| arg.starts_with('-'));
    if let Some(other) = options.iter().find(|option| *option != "--all") {
        return show_usage(&format!("unexpected argument `{other}`"));
    }
    if files.is_empty() {
        return show_usage("no file given");
    }
    let limit = if options.is_empty() { SHOWN } else { usize::MAX };
    match run_files(&files, limit) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: the report cannot be written: {error}");
            ExitCode::from(2)
        }
    }
}

fn show_usage(text: &str) -> ExitCode {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    eprintln!("error: {text}\n\nusage: conformance FILE… [--all]\nknown formats: {}", known.join(", "));
    ExitCode::from(2)
}

/// Runs the files in turn and gives the exit status: 2 where something could not be run, else 1 where a case differs.
fn run_files(files: &[String], limit: usize) -> io::Result<u8> {
    // Not locked, because a thread whose case panics reports it on standard error.
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let (mut sum, mut unread) = (CaseCount::default(), 0);
    for file in files {
        let report = run_file(file, limit);
        report.write_report(file, &mut out)?;
        out.flush()?;
        report.write_problems(file, &mut err)?;
        let count = report.total_count();
        sum = CaseCount { agreed: sum.agreed + count.agreed, total: sum.total + count.total };
        unread += report.unread;
    }
    let noun = if files.len() == 1 { "file" } else { "files" };
    writeln!(out, "total of {} {noun}: {}", files.len(), summary_line(sum, unread))?;
    Ok(if unread > 0 { 2 } else { u8::from(sum.agreed < sum.total) })
}

fn run_file(file: &str, limit: usize) -> CaseReport {
    match File::open(file) {
        Ok(open) => run_cases(BufReader::new(open), limit),
        Err(error) => {
            let mut report = CaseReport::new(limit);
            report.add_unread_line(1, format!("cannot be read: {error}"));
            report
        }
    }
}
