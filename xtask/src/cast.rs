//! `cargo xtask cast`: writes the picture of a run of `check` that the README shows. The test that compares it makes it too.

use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

/// The test that runs the program.
const TEST: &str = "the_picture_of_the_readme_is_current";

/// Writes the picture.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command.args(["test", "--workspace", "--test", "cli", "--", TEST]).env("KVRULES_BLESS", "1");
    spawn(&workspace.root, command).map_err(|reason| Failure::Failed(format!("{TEST}: {reason}")))
}
