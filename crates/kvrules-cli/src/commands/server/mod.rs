//! `kvrules server`: the language server for editors.

mod workspace;

use std::io::{self, BufReader, IsTerminal as _};
use std::sync::Arc;

use clap::Args;

use self::workspace::DiskWorkspace;
use crate::failure::{Failure, Status, io_reason};
use crate::levels::MinimumLevel;
use crate::options::{Global, KubernetesArgs};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules server                    what an editor starts
  kvrules server --level info       also show notes

Editors start it and use the Language Server Protocol on standard input and output. It reports what `kvrules check` reports about \
each open file, with the nearest kvrules.toml of the file.

Exit status: 0 if the editor asked for the end, 1 if it went away without.";

/// Run the language server for editors
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LanguageServer {
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    /// Minimum level of findings to show
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "warning")]
    level: MinimumLevel,
    // Editors that can also connect over sockets name the transport.
    #[arg(long, hide = true)]
    stdio: bool,
}

impl LanguageServer {
    pub(crate) fn run(&self, global: &Global, terminal: &Terminal) -> Result<Status, Failure> {
        if io::stdin().is_terminal() {
            terminal.note("editors start this command; it waits for messages on standard input");
        }
        let workspace = DiskWorkspace::new(global, &self.kubernetes, self.level.to_level());
        let mut output = io::stdout().lock();
        let served =
            kvrules_server::serve_client(Arc::new(workspace), BufReader::new(io::stdin()), &mut output);
        match served {
            Ok(true) => Ok(Status::Clean),
            // The status that the protocol demands.
            Ok(false) => Ok(Status::Findings),
            Err(error) => Err(Failure::new(format!("cannot serve the editor: {}", io_reason(&error)))),
        }
    }
}
