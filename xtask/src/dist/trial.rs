//! Uses the artifacts without Rust: the archive in an empty directory, the wheel in an empty virtual environment, and the jobs
//! that `kvrules init` writes. Validates manifests and workflows against their published schemas.

use std::process::Command;

use super::{Dist, python};

const SCRIPT: &str = "xtask/src/dist/trial.py";

pub(super) fn run(dist: &Dist<'_>) -> Result<(), String> {
    let tools = python::tools(dist)?;
    let mut script = Command::new(crate::tools::python(&tools));
    script.args(["-B", SCRIPT]).arg(&dist.out).arg(dist.name());
    dist.run("trial", script)
}
