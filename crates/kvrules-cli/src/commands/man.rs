//! `kvrules man`: the manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::failure::{Failure, Status};
use crate::outputs::{create_all, replace_all};
use crate::paths;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules man > kvrules.1
  kvrules man check | man -l -
  kvrules man --out-dir ~/.local/share/man/man1";

/// Print the manual page of kvrules or of one command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManPage {
    /// Command to describe
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Write the pages of all commands to this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out_dir: Option<PathBuf>,
    /// Overwrite existing pages
    #[arg(long, requires = "out_dir")]
    force: bool,
}

impl ManPage {
    pub(crate) fn run(&self, mut cli: Command, terminal: &mut Terminal) -> Result<Status, Failure> {
        cli.build();
        if let Some(folder) = &self.out_dir {
            return write_all(&cli, folder, self.force, terminal);
        }
        terminal.print(&manual_page(&self.subject(cli)?)?)?;
        Ok(Status::Clean)
    }

    fn subject(&self, root: Command) -> Result<Command, Failure> {
        let Some(name) = &self.command else { return Ok(root) };
        let found = root.find_subcommand(name).cloned();
        let found = found.map(|command| command.display_name(format!("kvrules-{name}")));
        found.ok_or_else(|| {
            Failure::new(format!("unknown command `{name}`")).help("`kvrules help` lists them")
        })
    }
}

/// Writes the pages of all commands, over other files only with `force`.
fn write_all(cli: &Command, folder: &Path, force: bool, terminal: &mut Terminal) -> Result<Status, Failure> {
    let mut pages = Vec::new();
    collect_pages(cli, "kvrules", folder, &mut pages)?;
    let files: Vec<_> = pages.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
    if force {
        replace_all(&files)?;
    } else {
        spare_others(&pages)?;
        create_all(&files)?;
    }
    terminal.print_status(&format!(
        "wrote {} to {}",
        count_noun(files.len(), "page"),
        paths::display_path(folder)
    ));
    Ok(Status::Clean)
}

/// Refuses to write if a page is there: directories of manual pages are shared, so no list says whose it is.
fn spare_others(pages: &[(PathBuf, String)]) -> Result<(), Failure> {
    let taken = pages.iter().find(|(path, _)| path.symlink_metadata().is_ok());
    let Some((path, _)) = taken else { return Ok(()) };
    let message = format!("`{}` already exists; nothing was written", paths::display_path(path));
    Err(Failure::new(message).help("write to another directory, or overwrite with `--force`"))
}

/// The page of a command and those of its subcommands.
fn collect_pages(
    command: &Command,
    name: &str,
    folder: &Path,
    pages: &mut Vec<(PathBuf, String)>,
) -> Result<(), Failure> {
    pages.push((
        folder.join(format!("{name}.1")),
        manual_page(&command.clone().display_name(name.to_owned()))?,
    ));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        collect_pages(sub, &format!("{name}-{}", sub.get_name()), folder, pages)?;
    }
    Ok(())
}

fn manual_page(command: &Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let failed = |error: std::io::Error| Failure::new(format!("cannot write the page: {error}"));
    Man::new(command.clone()).render(&mut page).map_err(failed)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
