//! `kvrules flavor`: extra specs of OpenStack's flavors.

mod check;
mod compare;
mod compile;
mod import;
mod metadefs;
mod nova;
mod print;

pub(crate) use import::Import;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor check hw:cpu_policy=dedicated hw:numa_nodes=2
  openstack flavor list --long -f json | kvrules flavor check -
  kvrules flavor definitions --output-format json";

/// Check extra specs of OpenStack flavors
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Flavor {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Compile(compile::Compile),
    Compare(compare::Compare),
    Definitions(print::Definitions),
}

impl Flavor {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        match &self.command {
            Command::Check(check) => check.run(global, terminal),
            Command::Compile(compile) => compile.run(global, terminal),
            Command::Compare(compare) => compare.run(terminal),
            Command::Definitions(definitions) => definitions.run(global, terminal),
        }
    }
}
