//! `cargo xtask judge`: runs the judges of `tests/judges` for a while on a new seed. A few hundred claims on fixed seeds are a test.
//!
//! `cargo xtask z3`: the judge `z3` on a fixed seed. The solver comes in a fixed version from PyPI, and is kept below the target directory.

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn};
use crate::workspace::Workspace;

/// The judge that needs the solver.
const SOLVER_JUDGE: &str = "z3";
const REQUIREMENTS: &str = "tests/judges/z3/requirements.txt";
/// The variable from which the judge takes the Python that has the solver.
const PYTHON: &str = "KVRULES_Z3_PYTHON";
/// The run of `cargo xtask z3`.
const FIXED_RUN: [&str; 5] = [SOLVER_JUDGE, "--seed", "1", "--claims", "600"];

/// Runs the program of the judges, which prints counts and every refuted claim.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    // Optimised as benches are: a run lasts longer than the build.
    command.args(["run", "--profile", "bench", "--quiet", "--locked", "--package", "kvrules-judges"]);
    command.args(["--bin", "judge", "--"]).args(args).current_dir(&workspace.root);
    if args.iter().any(|arg| arg == SOLVER_JUDGE) {
        command.env(PYTHON, python(&install_solver(workspace)?));
    }
    let status = command.status().map_err(|error| format!("cargo run could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage("invalid arguments of judge, or it could not be built".into())),
        _ => Err(Failure::Failed(
            "xtask judge: a claim is refuted, none of a listed kind is confirmed, or none was judged".into(),
        )),
    }
}

/// Runs the judge with the solver on a fixed seed.
pub(crate) fn run_solver(workspace: &Workspace) -> Result<(), Failure> {
    let folder = install_solver(workspace)?;
    // Of the whole workspace, so that dependencies have the features with which they are built already.
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "judge"]);
    spawn(&workspace.root, build)?;
    let mut judge = Command::new(workspace.target_directory().join("debug/judge"));
    judge.args(FIXED_RUN).env(PYTHON, python(&folder));
    Ok(spawn(&workspace.root, judge)?)
}

fn install_solver(workspace: &Workspace) -> Result<PathBuf, String> {
    let folder = workspace.target_directory().join("z3");
    environment(workspace, &folder, REQUIREMENTS)?;
    Ok(folder)
}
