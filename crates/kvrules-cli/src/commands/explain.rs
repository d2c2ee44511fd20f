//! `kvrules explain`: the page about a finding.

use clap::Args;
use kvrules::config::nearest;

use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules explain KV102
  kvrules explain missing_key";

/// Explain a finding: why it is one, and what to write instead
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// The code or the name of the finding
    #[arg(value_name = "CODE|NAME")]
    lint: String,
}

impl Explain {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let name = self.lint.trim().to_lowercase().replace('-', "_");
        let Some(page) = kvrules::page(self.lint.trim()).or_else(|| kvrules::page(&name)) else {
            return Err(self.unknown());
        };
        terminal.print(page)?;
        Ok(Status::Clean)
    }

    fn unknown(&self) -> Failure {
        let known = kvrules::lints().iter().flat_map(|lint| [lint.code, lint.name]);
        let help = match nearest(&self.lint, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`kvrules rules` lists them all".to_owned(),
        };
        Failure::new(format!("there is no finding `{}`", self.lint)).help(help)
    }
}
