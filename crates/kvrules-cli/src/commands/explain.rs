//! `kvrules explain`: the page about a finding, or about a difference between the two engines.

use clap::Args;
use kvrules::config::find_nearest;

use super::lints::{beginning_with, render_human};
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules explain KV102
  kvrules explain missing_key
  kvrules explain KV2                  list the lints whose codes begin with KV2
  kvrules explain D1                   a difference that eval --engine both reported
  kvrules explain unreadable-quantity";

/// Explain a lint, or a difference from the deployed validator
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// Code or name of a lint or difference, or the beginning of codes
    #[arg(value_name = "CODE|NAME|PREFIX")]
    requested_inputs: String,
}

impl Explain {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let requested_inputs = self.requested_inputs.trim();
        let lint = requested_inputs.to_lowercase().replace('-', "_");
        let page = kvrules::lint_page(requested_inputs)
            .or_else(|| kvrules::lint_page(&lint))
            .or_else(|| kvrules::difference_page(&as_difference(requested_inputs)));
        if let Some(new) = kvrules::new_code(&requested_inputs.to_uppercase()) {
            terminal.note(&format!("`{}` is now `{new}`", requested_inputs.to_uppercase()));
            terminal.print(kvrules::lint_page(new).unwrap_or_default())?;
            return Ok(Status::Clean);
        }
        let Some(page) = page else { return self.list(terminal) };
        terminal.print(page)?;
        Ok(Status::Clean)
    }

    fn list(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let lints = beginning_with(self.requested_inputs.trim());
        if lints.is_empty() {
            return Err(self.unknown());
        }
        terminal.print(&render_human(&lints, terminal.paint()))?;
        Ok(Status::Clean)
    }

    fn unknown(&self) -> Failure {
        let lints = kvrules::all_lints().iter().flat_map(|lint| [lint.code, lint.name]);
        let differences = kvrules::all_differences().iter().flat_map(|known| [known.id, known.name]);
        let help = match find_nearest(&self.requested_inputs, lints.chain(differences)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`kvrules lints` lists all lints".to_owned(),
        };
        Failure::new(format!("unknown lint or difference `{}`", self.requested_inputs)).help(help)
    }
}

/// The id or the name of a difference as its page has it; the file of `D1` is called `D01`.
fn as_difference(requested_inputs: &str) -> String {
    let requested_inputs = requested_inputs.to_lowercase().replace('_', "-");
    requested_inputs
        .strip_prefix("d0")
        .map_or_else(|| requested_inputs.clone(), |number| format!("d{number}"))
}
