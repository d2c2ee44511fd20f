//! `cargo xtask nova`: extra specs beside the real packages of Nova and Glance, in fixed versions from PyPI, which are kept below
//! the target directory. What the installed Nova defines must be what kvrules ships, Glance's schema and model must take the
//! files that kvrules writes, and Glance's stock files must differ from Nova as recorded.

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, environment, python, spawn};
use crate::workspace::Workspace;

const REQUIREMENTS: &str = "crates/kvrules-py/requirements/openstack.txt";
const SCRIPT: &str = "crates/kvrules-py/tests/real_packages.py";

/// Runs it, up to the first failure.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    hold(workspace).map_err(Failure::Failed)
}

fn hold(workspace: &Workspace) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let target = workspace.root.join(target);
    let folder = target.join("nova");
    environment(workspace, &folder, REQUIREMENTS)?;
    let mut build = Command::new(cargo());
    build.args(["build", "--package", "kvrules-cli", "--bin", "kvrules", "--locked"]);
    spawn(&workspace.root, build)?;
    let mut script = Command::new(python(&folder));
    script.args(["-B", "-W", "ignore", SCRIPT]).arg(target.join("debug/kvrules")).arg(folder.join("work"));
    script.env("PYTHONPATH", workspace.root.join("crates/kvrules-py/python"));
    spawn(&workspace.root, script)?;
    let mut stock = Command::new(cargo());
    stock.args(["test", "--package", "kvrules-extra-specs", "--test", "glance", "--locked", "--"]);
    stock.args(["--nocapture", "the_stock_files"]).env("GLANCE_METADEFS", folder.join("etc/glance/metadefs"));
    spawn(&workspace.root, stock)
}
