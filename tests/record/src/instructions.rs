//! Instructions that a program executes for some inputs, counted by callgrind: they are the same on a busy machine.

use std::process::Command;

use crate::inputs::write_inputs;
use crate::run::Runner;

/// The counted runs, without the first word of the program.
const RUNS: [&str; 10] = [
    "check -j 1 crds",
    "check -j 1 templates/common-templates-v0.35.0.yaml",
    "check -j 1 suites/kubescape",
    "check -j 1 rule-sets",
    "compile -j 1 --target all --loss allow --out-dir written --check templates/common-templates-v0.35.0.yaml",
    "cost -j 1 crds",
    "docs --format json crds/nodepools.karpenter.sh.yaml",
    "docs --format json generated/rule-set-001.yaml",
    "verify -j 1 generated/rule-set-002.yaml",
    "diff generated/definition-000.yaml generated/definition-001.yaml",
];

/// The line of callgrind with the number.
const COLLECTED: &str = "Collected : ";

/// Counts the instructions of each run, and prints them.
///
/// # Errors
///
/// If valgrind is absent.
pub fn print(runner: &Runner) -> Result<(), String> {
    write_inputs(&runner.inputs())?;
    for run in RUNS {
        println!("{:>16}  {run}", count(runner, run)?);
    }
    Ok(())
}

fn count(runner: &Runner, run: &str) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(runner.program());
    command.arg("--no-config").args(run.split(' ')).current_dir(runner.inputs());
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once(COLLECTED)).map(|(_, number)| number.trim());
    let number = line.and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("callgrind counted nothing in `{run}`:\n{text}"))
}
