//! A directory of its own for each test, and the command run in it.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A rule set without a fault.
pub(crate) const GOOD: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

/// A rule set with an error on its fourth line.
pub(crate) const BAD: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores",
    "path": "jsonpath::.spec.domain.cpu.cors", "max": 8
  }]
"#;

/// A rule set with a warning on its third line.
pub(crate) const ODD: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "cores", "rule": "integer", "message": "at most 8 cores", "colour": "red",
    "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
  }]
"#;

/// A directory with files.
pub(crate) struct Place(TempDir);

/// Result of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A directory with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(TempDir::new().unwrap());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of all files below a directory, in order.
    pub(crate) fn files(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.path(name), &self.path(name), &mut found);
        found.sort();
        found
    }

    /// The command with these arguments, in the directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in(".", args)
    }

    pub(crate) fn command_in(&self, directory: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kvrules"));
        command.current_dir(self.path(directory)).args(args);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::from(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    /// A run with these variables in its environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Run {
        let variables = variables.iter().copied();
        Run::from(self.command(args).envs(variables).stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn run_in(&self, directory: &str, args: &[&str]) -> Run {
        Run::from(self.command_in(directory, args).stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        let piped = || Stdio::piped();
        let mut child = self.command(args).stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
        // A command that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Run::from(child.wait_with_output().unwrap())
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn collect(root: &Path, directory: &Path, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}
