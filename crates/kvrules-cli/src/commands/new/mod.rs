//! `kvrules new`: what a new rule begins with.

mod rule;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::terminal::Terminal;

/// Print the beginning of a rule
#[derive(Debug, Args)]
#[command(after_help = rule::EXAMPLES, arg_required_else_help = true)]
pub(crate) struct New {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Rule(rule::NewRule),
}

impl New {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        match &self.command {
            Command::Rule(rule) => rule.run(global, terminal),
        }
    }
}
