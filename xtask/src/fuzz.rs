//! `cargo xtask fuzz`: reads, repairs, migrates and formats damaged texts for the requested time. It needs no fuzzer; the targets
//! for libFuzzer are in `tests/fuzz`. `cargo xtask hostile`: damaged files of every kind through every subcommand of the real
//! program, 5,000 runs unless told otherwise. A few hundred of them are a test.

use crate::Failure;
use crate::tools::test_program;
use crate::workspace::Workspace;

/// Runs one of the two programs. It prints what violates a guarantee; `hostile` as a file for `tests/cases/hostile`.
pub(crate) fn run(workspace: &Workspace, program: &str, args: &[String]) -> Result<(), Failure> {
    let status = test_program(program).arg("--").args(args).current_dir(&workspace.root).status();
    let status = status.map_err(|error| format!("cargo run could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Usage(format!("invalid arguments of {program}, or it could not run"))),
        _ => Err(Failure::Failed(format!("xtask {program}: a guarantee is violated"))),
    }
}
