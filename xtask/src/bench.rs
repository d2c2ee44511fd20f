//! `cargo xtask bench`: the benchmarks, which are plain binaries that print ratios rather than times.

use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

/// The packages of the command and of the benches. Both builds name both: then their dependencies have the same features, and are built
/// once.
const PACKAGES: [&str; 6] =
    ["--profile", "bench", "--package=kvrules-cli", "--package=kvrules-tests", "--locked", "--bench"];

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let (wanted, rest) = match args {
        [flag, name, rest @ ..] if flag == "--bench" => (name.as_str(), rest),
        all => ("*", all),
    };
    // Some benches run the command itself, which cargo does not build for another package's benches.
    let mut build = Command::new(cargo());
    build.arg("build").args(PACKAGES).args([wanted, "--bin", "kvrules"]);
    spawn(&workspace.root, build).map_err(|reason| format!("xtask bench: the command: {reason}"))?;
    let mut bench = Command::new(cargo());
    bench.arg("bench").args(PACKAGES).arg(wanted).args(rest);
    Ok(spawn(&workspace.root, bench).map_err(|reason| format!("xtask bench: {reason}"))?)
}
