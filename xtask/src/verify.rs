//! `cargo xtask verify`: every claim of every target about every recorded rule list, every released bundle
//! and 500 generated RuleSets. It takes some
//! minutes, longer than a test should, so `cargo xtask test` looks at some of the lists alone.

use std::process::Command;

use crate::Failure;
use crate::test::cargo;
use crate::workspace::Workspace;

/// Modules of the test whose cases are checked.
const LOOKED_AT: [&str; 3] = ["recorded::", "bundles::", "rule_sets::"];

/// Fails where a claim does not hold, or where not all cases could be looked at.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    command.args(["test", "--release", "--locked", "--package", "kvrules-verify", "--test", "verify", "--"]);
    // One test at a time, so that each can use all cores and its time is meaningful.
    command.args(["--nocapture", "--test-threads=1"]).args(LOOKED_AT).args(args);
    command.env("KVRULES_VERIFY_STRIDE", "1").env("KVRULES_RULE_SETS", "500").current_dir(&workspace.root);
    let status = command.status().map_err(|error| format!("cargo test could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::Failed("xtask verify: some claims do not hold or are inconclusive".into()))
    }
}
