//! `cargo xtask verify`: every claim of every target about every recorded rule list, every released bundle, every recorded policy
//! and 500 generated RuleSets; and the rules of all recorded definitions, imported as RuleSets and compiled again. It takes some
//! minutes, longer than a test should, so `cargo xtask test` looks at some of them alone.

use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

/// Modules of the test whose cases are checked.
const LOOKED_AT: [&str; 3] = ["recorded::", "bundles::", "rule_sets::"];

/// Fails where a claim does not hold, where not all cases could be looked at, or where rules of definitions do not survive the way through a
/// RuleSet.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    // One test at a time, so that each can use all cores and its time is meaningful.
    let alone = ["--nocapture", "--test-threads=1"];
    let claims = alone.iter().chain(&LOOKED_AT).map(|&arg| arg.to_owned()).chain(args.iter().cloned());
    let imports = alone.iter().map(|&arg| arg.to_owned()).chain(args.iter().cloned());
    let unproved = "some claims do not hold or are inconclusive";
    let suites = [
        (["kvrules-verify", "verify"], claims.collect::<Vec<String>>(), unproved),
        (["kvrules-tests", "policy_schemas"], alone.map(str::to_owned).to_vec(), unproved),
        (
            ["kvrules-tests", "rule_set_imports"],
            imports.collect(),
            "some rules are not equal after the import",
        ),
        (
            ["kvrules-tests", "schema_rule_sets"],
            alone.map(str::to_owned).to_vec(),
            "some keywords are not equal after the import",
        ),
        (
            ["kvrules-tests", "rule_set_policies"],
            alone.map(str::to_owned).to_vec(),
            "some validations are not equal after the import",
        ),
    ];
    for ([package, test], args, failure) in suites {
        let mut command = Command::new(cargo());
        command
            .args(["test", "--release", "--locked", "--package", package, "--test", test, "--"])
            .args(args);
        command.env("KVRULES_VERIFY_STRIDE", "1").env("KVRULES_RULE_SETS", "500");
        spawn(&workspace.root, command).map_err(|reason| format!("xtask verify: {failure} ({reason})"))?;
    }
    Ok(())
}
