//! `cargo xtask judge`: runs the judges of `tests/judges` for a while on a new seed. A few hundred claims on fixed seeds are a test.

use std::process::Command;

use crate::Failure;
use crate::tools::cargo;
use crate::workspace::Workspace;

/// Runs the program of the judges, which prints counts and every refuted claim.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    // Optimised as benches are: a run lasts longer than the build.
    command.args(["run", "--profile", "bench", "--quiet", "--locked", "--package", "kvrules-judges"]);
    command.args(["--bin", "judge", "--"]).args(args).current_dir(&workspace.root);
    let status = command.status().map_err(|error| format!("cargo run could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage("invalid arguments of judge, or it could not be built".into())),
        _ => Err(Failure::Failed("xtask judge: a claim is refuted, or none was judged".into())),
    }
}
