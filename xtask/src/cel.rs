//! `cargo xtask cel`: compares results of CEL expressions with another engine, in a fixed version from PyPI, which
//! is kept below the target directory. Expressions that both support must have the same result. The evaluator of the judge of decisions,
//! which shares no code with kvrules-cel, is compared as well.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn, spawn_reading};
use crate::workspace::{SHARED, Workspace};

const REQUIREMENTS: &str = "tests/cel/requirements.txt";
const SCRIPT: &str = "tests/cel/other.py";
/// Evaluations of the judge of decisions.
const EVALUATIONS: [&str; 4] = ["--evaluations", "4000", "--seed", "1"];
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
    build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "cel", "--bin", "judge"]);
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
    compare(workspace, &folder, &answers, &[])?;
    let file = fs::File::create(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    let mut judge = Command::new(target.join("debug/judge"));
    judge.args(EVALUATIONS).stdout(Stdio::from(file));
    spawn(&workspace.root, judge)?;
    println!("evaluations of the judge of decisions:");
    compare(workspace, &folder, &answers, &["--generated"])
}

/// Has the other engine evaluate what is in a file.
fn compare(workspace: &Workspace, folder: &Path, answers: &Path, options: &[&str]) -> Result<(), String> {
    let answers = fs::File::open(answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    let mut compare = Command::new(python(folder));
    compare.args(["-B", SCRIPT]).args(options).stdin(Stdio::from(answers));
    spawn_reading(&workspace.root, compare)
}
