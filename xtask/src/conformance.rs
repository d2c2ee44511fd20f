//! `cargo xtask conformance`: runs files of recorded cases. The runner needs the product, which xtask does without, so
//! it is a binary of kvrules-tests and this only starts it.

use std::process::ExitCode;

use crate::Failure;
use crate::tools::test_program;
use crate::workspace::Workspace;

/// The status is the runner's: 0 all agree, 1 some differ, 2 something could not be run.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Failure> {
    if args.iter().all(|arg| arg.starts_with('-')) {
        return Err(Failure::Usage("no file given".into()));
    }
    let mut command = test_program("conformance");
    // Runs in the user's directory, so that relative paths are correct. The manifest is therefore given by its
    // path.
    command.arg("--manifest-path").arg(workspace.root.join("Cargo.toml")).arg("--").args(args);
    let status =
        command.status().map_err(|error| format!("the runner of cases could not be started: {error}"))?;
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => Ok(ExitCode::from(code)),
        _ => Err(Failure::Failed(format!("xtask conformance: the runner of cases ended with {status}"))),
    }
}
