//! `kvrules rules`: everything that `check` looks for.

use clap::{Args, ValueEnum};
use kvrules::Level;
use serde::Serialize;

use super::table::{Table, Tone};
use crate::failure::{Failure, Status};
use crate::terminal::{Paint, Terminal};

const EXAMPLES: &str = "\
Examples:
  kvrules rules
  kvrules rules --output-format json";

/// List everything that `check` looks for
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rules {
    /// How the list is shown
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: ListFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ListFormat {
    Human,
    Json,
    Markdown,
}

/// One line of the list.
#[derive(Debug, Serialize)]
struct Entry {
    code: &'static str,
    level: &'static str,
    name: &'static str,
    summary: &'static str,
}

impl Rules {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let text = match self.output_format {
            ListFormat::Human => human(terminal.paint()),
            ListFormat::Json => json(),
            ListFormat::Markdown => markdown(),
        };
        terminal.print(&text)?;
        Ok(Status::Clean)
    }
}

fn entries() -> impl Iterator<Item = Entry> {
    kvrules::lints().iter().map(|lint| Entry {
        code: lint.code,
        level: lint.level.as_str(),
        name: lint.name,
        summary: lint.summary,
    })
}

fn human(paint: Paint) -> String {
    let mut table = Table::new(["code", "level", "name", "what it finds"]);
    for (entry, lint) in entries().zip(kvrules::lints()) {
        let tone = match lint.level {
            Level::Error => Tone::Bad,
            Level::Warning => Tone::Warn,
            Level::Info => Tone::Plain,
        };
        let plain = |text: &str| (text.to_owned(), Tone::Plain);
        table.row(vec![
            plain(entry.code),
            (entry.level.to_owned(), tone),
            plain(entry.name),
            plain(entry.summary),
        ]);
    }
    table.text(paint)
}

fn json() -> String {
    let entries: Vec<_> = entries().collect();
    // The entries are strings, so writing them cannot fail.
    serde_json::to_string_pretty(&entries).unwrap_or_default() + "\n"
}

fn markdown() -> String {
    let lines = entries().map(|Entry { code, level, name, summary }| {
        format!("| {code} | {level} | `{name}` | {} |\n", summary.replace('|', "\\|"))
    });
    std::iter::once("| code | level | name | what it finds |\n|---|---|---|---|\n".to_owned())
        .chain(lines)
        .collect()
}
