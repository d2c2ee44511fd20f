//! `cargo xtask bench`: the benchmarks, which are plain binaries that print ratios rather than times.

use std::process::Command;

use crate::Failure;
use crate::test::cargo;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command.args(["bench", "--package", "kvrules-tests", "--locked"]).args(args).current_dir(&workspace.root);
    let status = command.status().map_err(|error| format!("cargo bench could not be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(Failure::Failed("xtask bench: cargo bench failed".into())) }
}
