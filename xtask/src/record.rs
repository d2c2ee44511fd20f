//! `cargo xtask record`: what every command answers to every input, and how it differs between two revisions. The recorder is
//! `tests/record`; this builds the programs that it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

/// Reasons for what got worse, one on each line.
const REASONS: &str = "tests/record/reasons.txt";

pub(crate) struct RecordOptions {
    /// The revision to compare with.
    base: Option<String>,
    only: Option<String>,
    counts_instructions: bool,
}

impl RecordOptions {
    pub(crate) fn from_args(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self { base: None, only: None, counts_instructions: false };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let mut value = || {
                rest.next().cloned().ok_or_else(|| Failure::Usage(format!("record: `{arg}` needs a value")))
            };
            match arg.as_str() {
                "--base" => options.base = Some(value()?),
                "--only" => options.only = Some(value()?),
                "--instructions" => options.counts_instructions = true,
                other => return Err(Failure::Usage(format!("record: unexpected argument `{other}`"))),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(workspace: &Workspace, options: &RecordOptions) -> Result<(), Failure> {
    let folder = workspace.target_directory().join("record");
    let current = keep_program(&workspace.root, &workspace.target_directory(), &folder.join("current"))?;
    let base = match &options.base {
        Some(revision) => Some(build_revision(workspace, &folder, revision)?),
        None => None,
    };
    let place = folder.display().to_string();
    let shown = |program: &Path| program.display().to_string();
    if options.counts_instructions {
        for program in base.iter().chain([&current]) {
            println!("{}", shown(program));
            record(workspace, &["instructions", &shown(program), &place], options)?;
        }
        return Ok(());
    }
    match &base {
        None => record(workspace, &["answers", &shown(&current), &place], options),
        Some(base) => {
            let reasons = workspace.root.join(REASONS);
            let args = ["compare", &shown(base), &shown(&current), &place, "--reasons", &shown(&reasons)];
            record(workspace, &args, options)
        }
    }
}

/// Starts the recorder. Its status 1 is that something got worse.
fn record(workspace: &Workspace, args: &[&str], options: &RecordOptions) -> Result<(), Failure> {
    let mut command = Command::new(cargo());
    // As tests are built, so that they are not built again for it.
    command.args(["build", "--quiet", "--locked", "--workspace", "--bin", "record"]);
    spawn(&workspace.root, command).map_err(|reason| format!("xtask record: the recorder: {reason}"))?;
    let mut command = Command::new(workspace.target_directory().join("debug/record"));
    command.args(args).current_dir(&workspace.root);
    if let Some(only) = &options.only {
        command.args(["--only", only]);
    }
    let status = command.status().map_err(|error| format!("the recorder could not be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(Failure::Failed("xtask record: something is worse, without a reason".into())),
        _ => Err(Failure::Failed(format!("xtask record: the recorder ended with {status}"))),
    }
}

/// Builds the program of a revision in a checkout of its own; one that was built before is kept.
fn build_revision(workspace: &Workspace, folder: &Path, revision: &str) -> Result<PathBuf, Failure> {
    let commit = find_commit(workspace, revision)?;
    let place = folder.join(&commit);
    let program = program_in(&place);
    if program.is_file() {
        return Ok(program);
    }
    let tree = folder.join("tree");
    if !tree.is_dir() {
        let mut add = Command::new("git");
        add.args(["clone", "--quiet", "--shared", "--no-checkout"]).arg(&workspace.root).arg(&tree);
        spawn(&workspace.root, add).map_err(|reason| format!("xtask record: git clone: {reason}"))?;
    }
    let mut checkout = Command::new("git");
    checkout.args(["checkout", "--quiet", "--force", "--detach", &commit]);
    spawn(&tree, checkout).map_err(|reason| format!("xtask record: git checkout {commit}: {reason}"))?;
    keep_program(&tree, &folder.join("build"), &place)
}

/// Builds the program of a checkout, and keeps a copy.
fn keep_program(root: &Path, target: &Path, place: &Path) -> Result<PathBuf, Failure> {
    let mut build = Command::new(cargo());
    build.args(["build", "--release", "--locked", "--package", "kvrules-cli", "--bin", "kvrules"]);
    build.env("CARGO_TARGET_DIR", target);
    spawn(root, build).map_err(|reason| format!("xtask record: the program: {reason}"))?;
    let kept = program_in(place);
    let built = target.join("release").join(kept.file_name().unwrap_or_default());
    fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    fs::copy(&built, &kept).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(kept)
}

fn program_in(place: &Path) -> PathBuf {
    place.join(format!("kvrules{}", env::consts::EXE_SUFFIX))
}

fn find_commit(workspace: &Workspace, revision: &str) -> Result<String, Failure> {
    let mut command = Command::new("git");
    command.args(["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
    let output = command.current_dir(&workspace.root).output();
    let output = output.map_err(|error| format!("git could not be started: {error}"))?;
    if !output.status.success() {
        return Err(Failure::Usage(format!("record: `{revision}` is no revision")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
