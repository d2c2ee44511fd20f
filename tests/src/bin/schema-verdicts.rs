//! Writes the JSON Schemas of definitions with objects and verdicts, a line for each schema, for another implementation to be
//! compared with: `cargo xtask ajv`.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use kvrules::{FileId, SourceFile};
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
    let mut files = Vec::new();
    for folder in std::env::args_os().skip(1) {
        for entry in std::fs::read_dir(Path::new(&folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                files.push(SourceFile::new(
                    FileId(0),
                    path.to_string_lossy(),
                    std::fs::read_to_string(&path)?,
                ));
            }
        }
    }
    files.sort_by(|one, other| one.name().cmp(other.name()));
    let lines: Result<Vec<_>, _> = files
        .par_iter()
        .enumerate()
        .map(|(number, file)| kvrules_tests::schema_verdicts::schema_verdicts(file, number))
        .collect();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines?.into_iter().flatten() {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
