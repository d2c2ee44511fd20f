//! `cargo xtask bench`: the benchmarks, which are plain binaries that print ratios rather than times.

use std::process::Command;

use crate::Failure;
use crate::test::cargo;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    // Some benches run the command itself, which cargo does not build for another package's benches.
    let mut build = Command::new(cargo());
    build
        .args(["build", "--profile", "bench", "--package", "kvrules-cli", "--locked"])
        .current_dir(&workspace.root);
    let built = build.status().map_err(|error| format!("cargo build could not be started: {error}"))?;
    if !built.success() {
        return Err(Failure::Failed("xtask bench: the command could not be built".into()));
    }
    let mut command = Command::new(cargo());
    command
        .args(["bench", "--profile", "bench", "--package", "kvrules-tests", "--locked"])
        .args(args)
        .current_dir(&workspace.root);
    let status = command.status().map_err(|error| format!("cargo bench could not be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(Failure::Failed("xtask bench: cargo bench failed".into())) }
}
