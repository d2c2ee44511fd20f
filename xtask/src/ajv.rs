//! `cargo xtask ajv`: compares the verdicts of emitted JSON Schemas with ajv, in a fixed version from npm, which is kept below the
//! target directory. Node comes from PyPI where the machine has none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn};
use crate::workspace::{SHARED, Workspace};

const FOLDER: &str = "tests/ajv";
const REQUIREMENTS: &str = "tests/ajv/requirements.txt";
/// Folders with definitions, among the recorded data.
const RECORDED: [&str; 2] = ["kubernetes/crds", "kubernetes/crds-2"];

/// Runs it, up to the first failure.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    compare(workspace).map_err(Failure::Failed)
}

fn compare(workspace: &Workspace) -> Result<(), String> {
    let folders: Vec<PathBuf> = RECORDED
        .iter()
        .map(|name| workspace.shared_directory().join(name))
        .filter(|path| path.is_dir())
        .collect();
    if folders.is_empty() {
        println!("skipped: {SHARED}/{} not found", RECORDED.join(" and "));
        return Ok(());
    }
    let target = workspace.target_directory();
    let folder = target.join("ajv");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let node = install_ajv(workspace, &folder)?;
    let verdicts = folder.join("verdicts.jsonl");
    let file = fs::File::create(&verdicts).map_err(|error| format!("{}: {error}", verdicts.display()))?;
    // Of the whole workspace, so that dependencies have the features with which they are built already.
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "schema-verdicts"]);
    spawn(&workspace.root, build)?;
    let mut judge = Command::new(target.join("debug/schema-verdicts"));
    judge.args(&folders).stdout(Stdio::from(file));
    spawn(&workspace.root, judge)?;
    let mut script = node.command("node");
    script.arg(folder.join("compare.mjs")).arg(&verdicts);
    spawn(&folder, script)
}

/// Programs of Node: those of the machine, or those of an environment of Python.
enum Node {
    Installed,
    Fetched(PathBuf),
}

impl Node {
    fn command(&self, program: &str) -> Command {
        match self {
            Self::Installed => Command::new(program),
            Self::Fetched(environment) => {
                Command::new(python(environment).parent().unwrap_or_else(|| Path::new("")).join(program))
            }
        }
    }
}

/// Installs ajv and the script into the folder, unless the same ones are there.
fn install_ajv(workspace: &Workspace, folder: &Path) -> Result<Node, String> {
    let has = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let node = if has("node") && has("npm") {
        Node::Installed
    } else {
        let environment_folder = folder.join("python");
        environment(workspace, &environment_folder, REQUIREMENTS)?;
        Node::Fetched(environment_folder)
    };
    for name in ["package.json", "compare.mjs"] {
        let text = workspace.read(&format!("{FOLDER}/{name}"))?;
        fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    let lock = workspace.read(&format!("{FOLDER}/package-lock.json"))?;
    let installed = folder.join("package-lock.json");
    let stamp = folder.join("node_modules/ajv/package.json");
    if stamp.exists() && fs::read_to_string(&installed).is_ok_and(|known| known == lock) {
        return Ok(node);
    }
    fs::write(&installed, lock).map_err(|error| format!("{}: {error}", installed.display()))?;
    let mut npm = node.command("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]);
    spawn(folder, npm)?;
    Ok(node)
}
