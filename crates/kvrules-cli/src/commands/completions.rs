//! `kvrules completions`: scripts that let shells complete our options.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules completions bash > ~/.local/share/bash-completion/completions/kvrules
  kvrules completions fish > ~/.config/fish/completions/kvrules.fish";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut cli: Command, terminal: &mut Terminal) -> Result<Status, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut cli, "kvrules", &mut script);
        terminal.print(&String::from_utf8_lossy(&script))?;
        Ok(Status::Clean)
    }
}
