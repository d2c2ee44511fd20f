//! `kvrules man`: the manual pages.

use clap::{Args, Command};
use clap_mangen::Man;

use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules man > kvrules.1
  kvrules man check | man -l -";

/// Print the manual page of kvrules or of one command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManPage {
    /// The command that the page is about
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl ManPage {
    pub(crate) fn run(&self, cli: Command, terminal: &mut Terminal) -> Result<Status, Failure> {
        let mut page = Vec::new();
        let failed = |error: std::io::Error| Failure::new(format!("cannot write the page: {error}"));
        Man::new(self.subject(cli)?).render(&mut page).map_err(failed)?;
        terminal.print(&String::from_utf8_lossy(&page))?;
        Ok(Status::Clean)
    }

    fn subject(&self, mut root: Command) -> Result<Command, Failure> {
        root.build();
        let Some(name) = &self.command else { return Ok(root) };
        let found = root.find_subcommand(name).cloned();
        let found = found.map(|command| command.display_name(format!("kvrules-{name}")));
        found.ok_or_else(|| {
            Failure::new(format!("there is no command `{name}`")).help("`kvrules help` lists them")
        })
    }
}
