//! Running other programs: cargo, tools of fixed versions that are built below `target`, and Python with packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Workspace;

/// Where the tools lie.
pub(crate) const TOOLS: &str = "target/tools";
const TOOLS_BUILD: &str = "target/tools-build";

/// Builds a tool that rustup does not bring, at a fixed version, under `target`. One of that version is kept.
pub(crate) fn install_tool(
    workspace: &Workspace,
    name: &str,
    version: &str,
    options: &[&str],
) -> Result<(), String> {
    let program = workspace.root.join(TOOLS).join("bin").join(name);
    let told = Command::new(&program).arg("--version").output();
    if told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).trim().ends_with(version)) {
        return Ok(());
    }
    println!("{name} {version} is not there yet; installing it into {TOOLS}");
    let mut command = Command::new(cargo());
    command.args(["install", name, "--locked", "--version", version]).args(options);
    command.args(["--root", TOOLS, "--target-dir", TOOLS_BUILD]);
    let installed = spawn(&workspace.root, command);
    // What was built on the way is several times the size of the tool, and of no further use.
    let _ = std::fs::remove_dir_all(workspace.root.join(TOOLS_BUILD));
    installed
}

/// Runs a command in a directory, with its output shown and nothing to read from.
pub(crate) fn spawn(directory: &Path, mut command: Command) -> Result<(), String> {
    command.current_dir(directory).stdin(Stdio::null());
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_TERM_PROGRESS_WHEN", "never").env("INSTA_UPDATE", "no");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(format!("could not be started: {error}")),
    }
}

/// The cargo that started this tool, so that a chosen toolchain stays chosen.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The Python of an environment.
pub(crate) fn python(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// An environment of Python with the packages of a list; one that was made from the same list is kept.
pub(crate) fn environment(workspace: &Workspace, folder: &Path, requirements: &str) -> Result<(), String> {
    let wanted = workspace.read(requirements)?;
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(());
    }
    let mut venv = Command::new(if cfg!(windows) { "python" } else { "python3" });
    venv.args(["-m", "venv", "--clear"]).arg(folder);
    spawn(&workspace.root, venv)?;
    let mut pip = Command::new(python(folder));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
        requirements,
    ]);
    spawn(&workspace.root, pip)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}
