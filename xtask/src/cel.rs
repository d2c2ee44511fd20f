//! `cargo xtask cel`: compares results of CEL expressions with another engine, in a fixed version from PyPI, which
//! is kept below the target directory. Expressions that both support must have the same result.

use std::fs;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn, spawn_reading};
use crate::workspace::{SHARED, Workspace};

const REQUIREMENTS: &str = "tests/cel/requirements.txt";
const SCRIPT: &str = "tests/cel/other.py";
/// Expressions of our own.
const EXPRESSIONS: &str = "tests/cases/cel/expressions.jsonl";
/// All recorded definitions, among the recorded data.
const ALL: &str = "kubernetes/crd-cases.jsonl";
/// A selection of them, which is always there.
const SELECTION: &str = "tests/conformance/kubernetes-crd.jsonl";

/// Runs it, up to the first failure.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    hold(workspace).map_err(Failure::Failed)
}

fn hold(workspace: &Workspace) -> Result<(), String> {
    let target = workspace.target_directory();
    let folder = target.join("cel");
    environment(workspace, &folder, REQUIREMENTS)?;
    let answers = folder.join("evaluations.jsonl");
    let file = fs::File::create(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    // Of the whole workspace, so that dependencies have the features with which they are built already.
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "cel"]);
    spawn(&workspace.root, build)?;
    let mut evaluate = Command::new(target.join("debug/cel"));
    let all = workspace.shared_directory().join(ALL);
    evaluate.arg(EXPRESSIONS).stdout(Stdio::from(file));
    if all.exists() {
        evaluate.arg(all);
    } else {
        println!("{SHARED}/{ALL} not found: only the committed selection is compared");
        evaluate.arg(SELECTION);
    }
    spawn(&workspace.root, evaluate)?;
    let answers = fs::File::open(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    let mut compare = Command::new(python(&folder));
    compare.args(["-B", SCRIPT]).stdin(Stdio::from(answers));
    spawn_reading(&workspace.root, compare)
}
