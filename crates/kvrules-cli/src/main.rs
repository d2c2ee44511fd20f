//! The `kvrules` command.
//!
//! `args.rs` defines the command line, and `commands/` has one file for each subcommand. Files are found and read
//! in `inputs/` and written in `outputs/`; all output goes through the [`Terminal`]. The exit status is 0 without
//! anything to report, 1 with findings, and 2 if the command failed.

mod args;
mod commands;
mod deferred;
mod definitions;
mod failure;
mod inputs;
mod levels;
mod long_files;
mod naming;
mod options;
mod outputs;
mod paths;
mod progress;
mod schemas;
mod sentences;
mod settings;
mod targets;
mod terminal;
mod text;
mod watch;

use std::process::ExitCode;

use kvrules::render::one_line;

use crate::args::{Cli, parse_arguments};
use crate::failure::{Failure, Status};
use crate::terminal::{ColorChoice, Terminal, print_error};

fn main() -> ExitCode {
    long_files::fail_on_long_files();
    std::panic::set_hook(Box::new(|panic| {
        let lines = "error: internal error of kvrules; please report it with the input that causes it";
        print_error(&format!("{lines}\n  {panic}\n"));
        // Programs that are built without unwinding would end with a signal.
        if cfg!(panic = "abort") {
            std::process::exit(i32::from(Status::RunError.code()));
        }
    }));
    // `--help`, `--version` and invalid arguments start no thread.
    let status = match parse_arguments(std::env::args_os()) {
        Ok(cli) => {
            let run = std::thread::Builder::new().stack_size(inputs::STACK).spawn(move || run_command(&cli));
            run.map_or(Status::RunError, |thread| thread.join().unwrap_or(Status::RunError))
        }
        Err(error) => show_usage(&sanitize_error(error)),
    };
    ExitCode::from(status.code())
}

fn run_command(cli: &Cli) -> Status {
    let mut terminal = Terminal::new(cli.global.color, cli.global.quiet);
    cli.command.run(&cli.global, &mut terminal).unwrap_or_else(|failure: Failure| {
        terminal.failure(&failure);
        Status::RunError
    })
}

/// Prints the requested help, or the error in the command line.
fn show_usage(error: &clap::Error) -> Status {
    let mut terminal = Terminal::new(ColorChoice::Auto, false);
    let paint = if error.use_stderr() { terminal.paint_error() } else { terminal.paint() };
    let styled = error.render();
    let text =
        if paint.0 { terminal::mark_own_colors(&styled.ansi().to_string()) } else { styled.to_string() };
    if error.use_stderr() {
        print_error(&text);
        return Status::RunError;
    }
    match terminal.print(&text) {
        Ok(()) => Status::Clean,
        Err(failure) => {
            terminal.failure(&failure);
            Status::RunError
        }
    }
}

/// The same error about a command line in which nothing is written that a terminal acts upon: clap quotes what was typed as it
/// is, between its own colours.
fn sanitize_error(error: clap::Error) -> clap::Error {
    let typed: Vec<_> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let escaped: Vec<_> = typed.iter().map(|arg| one_line(arg).into_owned()).collect();
    if typed == escaped { error } else { parse_arguments(escaped).err().unwrap_or(error) }
}
