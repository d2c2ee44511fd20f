//! The `kvrules` command.
//!
//! `args.rs` says what can be asked, `commands/` answers, one file a subcommand. Files are found and read in
//! `inputs/` and written in `outputs/`; whatever is printed goes through the [`Terminal`]. The exit status is 0
//! when there is nothing to report, 1 when there is, and 2 when the question could not be answered.

mod args;
mod commands;
mod definitions;
mod failure;
mod inputs;
mod levels;
mod options;
mod outputs;
mod paths;
mod settings;
mod targets;
mod terminal;
mod text;
mod words;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Cli;
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let lines = "error: internal error of kvrules; please report it with the input that causes it";
        // When even standard error is closed there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "{lines}\n  {panic}");
    }));
    let status = std::panic::catch_unwind(answer).unwrap_or(Status::Trouble);
    ExitCode::from(status.code())
}

fn answer() -> Status {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe behind `--help` is no failure.
            let _ = error.print();
            return if error.exit_code() == 0 { Status::Clean } else { Status::Trouble };
        }
    };
    let mut terminal = Terminal::new(cli.global.color, cli.global.quiet);
    cli.command.run(&cli.global, &mut terminal).unwrap_or_else(|failure: Failure| {
        terminal.failure(&failure);
        Status::Trouble
    })
}
