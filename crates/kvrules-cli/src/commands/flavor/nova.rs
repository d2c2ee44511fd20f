//! `kvrules import nova`: the definitions of an installed Nova, read by its Python.
//!
//! Nova's code and the entry points of its environment decide which definitions exist, so only that Python can list
//! them. It gets the script of the Python package, which this program carries.

use std::path::PathBuf;
use std::process::{Command, Output};

use clap::Args;
use kvrules::FileId;
use kvrules::extra_specs::parse_definitions;

use crate::failure::{Failure, Status, io_reason};
use crate::outputs::replace_file;
use crate::paths;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

/// The script; `python -m kvrules import nova` runs the same.
const SCRIPT: &str = include_str!("nova_import.py");

/// Import the definitions of the installed Nova, with those that other packages add by entry points
#[derive(Debug, Args)]
pub(super) struct Nova {
    /// Python of Nova's environment [default: the one next to this program, else the first on the path]
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Write the JSON document to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Nova {
    pub(super) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let python = self.python.clone().unwrap_or_else(default_python);
        let name = paths::display_path(&python);
        let mut command = Command::new(&python);
        // A checkout of Nova in the working directory is not the Nova that is installed.
        command.args(["-c", SCRIPT]).env("PYTHONSAFEPATH", "1").env("PYTHONIOENCODING", "utf-8");
        let answer = command.output().map_err(|error| {
            Failure::new(format!("cannot run `{name}`: {}", io_reason(&error))).help(HELP)
        })?;
        if !answer.status.success() {
            return Err(Failure::new(python_error(&answer, &name)).help(HELP));
        }
        let text = String::from_utf8(answer.stdout)
            .map_err(|_| Failure::new(format!("the output of `{name}` is not UTF-8")))?;
        let (document, problems) = parse_definitions(FileId(0), &text);
        let definitions = document.expand_definitions();
        if definitions.is_empty() {
            return Err(Failure::new(format!("no definitions in the output of `{name}`")).help(HELP));
        }
        match &self.output {
            Some(path) => replace_file(path, &text)?,
            None => terminal.print_file(&text)?,
        }
        let left_out = problems.iter().filter(|problem| problem.level == kvrules::Level::Error).count();
        if left_out > 0 {
            let errors = count_noun(left_out, "error");
            terminal.note(&format!("the definitions have {errors}; `kvrules check` shows them"));
        }
        terminal.print_status(&format!("imported {}", count_noun(definitions.len(), "definition")));
        Ok(Status::Clean)
    }
}

const HELP: &str = "set the Python of Nova's environment with `--python`";

/// The Python next to this program, as in a virtual environment that is not active, else the one on the path.
fn default_python() -> PathBuf {
    let name = if cfg!(windows) { "python.exe" } else { "python3" };
    let here = std::env::current_exe().ok();
    let beside = here.and_then(|program| Some(program.parent()?.join(name)));
    beside.filter(|python| python.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// Returns the reason why Python gave no document: the script's error, or the last line of an error of Nova.
fn python_error(answer: &Output, python: &str) -> String {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let mut lines = stderr.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    match lines.next() {
        Some(line) => match line.strip_prefix("error: ") {
            Some(ours) => format!("`{python}`: {ours}"),
            None => format!("`{python}` cannot read Nova's definitions: {line}"),
        },
        None => format!("`{python}` failed without a message, with {}", answer.status),
    }
}
