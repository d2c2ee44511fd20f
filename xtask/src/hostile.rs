//! `cargo xtask hostile`: damaged files of every kind through every subcommand of the real program, 5,000 runs unless told
//! otherwise. A few hundred of them are a test.

use std::process::Command;

use crate::Failure;
use crate::test::cargo;
use crate::workspace::Workspace;

/// Fails where a run breaks a property; what broke it is printed as a file for `tests/cases/hostile`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command.args([
        "run",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "kvrules-tests",
        "--bin",
        "hostile",
        "--",
    ]);
    let status = command.args(args).current_dir(&workspace.root).status();
    let status = status.map_err(|error| format!("cargo run could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage("invalid arguments of hostile, or it could not run".into())),
        _ => Err(Failure::Failed("xtask hostile: a property is violated".into())),
    }
}
