//! `cargo xtask nova`: compares extra specs with the real packages of Nova and Glance, in fixed versions from PyPI,
//! which are kept below the target directory. The definitions of the installed Nova must be those that kvrules
//! ships, Glance's schema and model must accept the files that kvrules writes, and Glance's stock files must differ
//! from Nova as recorded. With `--newest` the newest release of Nova is used instead, and every definition that has
//! changed since is listed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn};
use crate::workspace::Workspace;

const REQUIREMENTS: &str = "crates/kvrules-py/requirements/openstack.txt";
const SCRIPT: &str = "crates/kvrules-py/tests/real_packages.py";

/// The packages that decide which definitions there are, in no fixed versions.
const NEWEST: &str = "nova\nos-traits\nos-resource-classes\n";

/// Runs it, up to the first failure.
pub(crate) fn run(workspace: &Workspace, newest: bool) -> Result<(), Failure> {
    let target = workspace.target_directory();
    let retained = if newest { compare_newest(workspace, &target) } else { hold(workspace, &target) };
    retained.map_err(Failure::Failed)
}

fn hold(workspace: &Workspace, target: &Path) -> Result<(), String> {
    let folder = target.join("nova");
    environment(workspace, &folder, REQUIREMENTS)?;
    ask(workspace, target, &folder, &[])?;
    let mut stock = Command::new(cargo());
    // Of the whole workspace, so that dependencies have the features with which they are built already.
    stock.args(["test", "--workspace", "--test", "glance_stock", "--locked", "--"]);
    stock.args(["--nocapture"]).env("GLANCE_METADEFS", folder.join("etc/glance/metadefs"));
    spawn(&workspace.root, stock)
}

/// Names what the newest release of Nova defines otherwise than kvrules does.
fn compare_newest(workspace: &Workspace, target: &Path) -> Result<(), String> {
    let folder = target.join("nova-newest");
    fs::create_dir_all(target).map_err(|error| format!("{}: {error}", target.display()))?;
    let requirements = target.join("nova-newest.txt");
    fs::write(&requirements, NEWEST).map_err(|error| format!("{}: {error}", requirements.display()))?;
    // Without this stamp, `environment` installs the newest release again, although the list does not change.
    let _ = fs::remove_file(folder.join("requirements.txt"));
    environment(workspace, &folder, &requirements.to_string_lossy())?;
    ask(workspace, target, &folder, &["--drift"])
}

/// Runs the script in an environment, with the program as it is now.
fn ask(workspace: &Workspace, target: &Path, folder: &Path, options: &[&str]) -> Result<(), String> {
    let mut build = Command::new(cargo());
    // Of the whole workspace, as the tests next to this have built it; else it is linked anew under them.
    build.args(["build", "--workspace", "--bin", "kvrules", "--locked"]);
    spawn(&workspace.root, build)?;
    let mut script = Command::new(python(folder));
    script.args(["-B", "-W", "ignore", SCRIPT]).arg(target.join("debug/kvrules")).arg(folder.join("work"));
    script.args(options).env("PYTHONPATH", workspace.root.join("crates/kvrules-py/python"));
    spawn(&workspace.root, script)
}
