//! `cargo xtask bench`: the benchmarks, which are plain binaries that print ratios rather than times.

use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    // Some benches run the command itself, which cargo does not build for another package's benches.
    let mut build = Command::new(cargo());
    build.args(["build", "--profile", "bench", "--package", "kvrules-cli", "--locked"]);
    spawn(&workspace.root, build).map_err(|reason| format!("xtask bench: the command: {reason}"))?;
    let mut bench = Command::new(cargo());
    bench.args(["bench", "--profile", "bench", "--package", "kvrules-tests", "--locked"]).args(args);
    Ok(spawn(&workspace.root, bench).map_err(|reason| format!("xtask bench: {reason}"))?)
}
