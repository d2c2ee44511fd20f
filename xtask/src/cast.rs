//! `cargo xtask cast`: writes the picture of a run of `check` that the README shows. The test that compares it makes it too.

use std::process::Command;

use crate::Failure;
use crate::tools::cargo;
use crate::workspace::Workspace;

/// The test that runs the program.
const TEST: &str = "the_picture_of_the_readme_is_current";

/// Writes the picture.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command
        .args(["test", "--workspace", "--test", "cli", "--", TEST])
        .env("KVRULES_BLESS", "1")
        .current_dir(&workspace.root);
    let status =
        command.status().map_err(|error| Failure::Failed(format!("cargo could not be started: {error}")))?;
    if status.success() { Ok(()) } else { Err(Failure::Failed(format!("{TEST}: {status}"))) }
}
