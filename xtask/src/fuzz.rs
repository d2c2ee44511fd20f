//! `cargo xtask fuzz`: reads, repairs, migrates and formats damaged texts for the requested time. It needs no
//! fuzzer; the targets for libFuzzer are in `tests/fuzz`.

use std::process::Command;

use crate::Failure;
use crate::test::cargo;
use crate::workspace::Workspace;

/// Fails where a promise is broken; what broke it is printed.
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
        "fuzz",
        "--",
    ]);
    let status = command.args(args).current_dir(&workspace.root).status();
    let status = status.map_err(|error| format!("cargo run could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage("invalid arguments of fuzz".into())),
        _ => Err(Failure::Failed("xtask fuzz: a guarantee is violated".into())),
    }
}
