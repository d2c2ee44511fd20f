//! `kvrules lints`: everything that `check` looks for, in groups by the hundreds of the codes.

use clap::{Args, ValueEnum};
use kvrules::{Applicability, Level, Lint};
use serde::Serialize;

use super::table::{Table, Tone};
use crate::failure::{Failure, Status};
use crate::terminal::{ColorPainter, Terminal};

const EXAMPLES: &str = "\
Examples:
  kvrules lints
  kvrules lints KV2 KV501 missing_key
  kvrules lints --output-format json";

/// List the lints of `check`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lints {
    /// Codes, beginnings of codes or names of lints to list
    #[arg(value_name = "CODE|NAME|PREFIX")]
    requested_inputs: Vec<String>,
    /// Format of the list
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
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
    name: &'static str,
    level: &'static str,
    group: &'static str,
    fix: Option<&'static str>,
    summary: &'static str,
}

impl Lints {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let lints = self.lints()?;
        let text = match self.output_format {
            ListFormat::Human => render_human(&lints, terminal.paint()),
            ListFormat::Json => render_json(&lints),
            ListFormat::Markdown => render_markdown(&lints),
        };
        terminal.print(&text)?;
        Ok(Status::Clean)
    }

    /// Returns the requested lints, each once and in the order of the codes.
    fn lints(&self) -> Result<Vec<&'static Lint>, Failure> {
        if self.requested_inputs.is_empty() {
            return Ok(kvrules::all_lints().to_vec());
        }
        let mut requested_inputs = Vec::new();
        for word in &self.requested_inputs {
            let known = beginning_with(word);
            if known.is_empty() {
                let help = "`kvrules lints` lists all lints";
                return Err(Failure::new(format!("unknown lint `{word}`")).help(help));
            }
            requested_inputs.extend(known);
        }
        requested_inputs.sort_by_key(|lint| lint.code);
        requested_inputs.dedup_by_key(|lint| lint.code);
        Ok(requested_inputs)
    }
}

/// The lints whose code begins with a word, in any letter case, or whose name it is.
pub(super) fn beginning_with(word: &str) -> Vec<&'static Lint> {
    let (code, name) = (word.to_uppercase(), word.to_lowercase().replace('-', "_"));
    let is_intended = |lint: &Lint| (!code.is_empty() && lint.code.starts_with(&code)) || lint.name == name;
    kvrules::all_lints().iter().copied().filter(|lint| is_intended(lint)).collect()
}

/// The list for a terminal.
pub(super) fn render_human(lints: &[&'static Lint], paint: ColorPainter) -> String {
    let mut table = Table::new(["code", "level", "fix", "name", "finding"]);
    let mut group = None;
    for lint in lints {
        if group != kvrules::find_group(lint.code) {
            group = kvrules::find_group(lint.code);
            table.line(group.map_or("", |(_, title)| title));
        }
        let plain = |text: &str| (text.to_owned(), Tone::Plain);
        table.row(vec![
            plain(lint.code),
            (lint.level.as_str().to_owned(), level_tone(lint.level)),
            plain(lint.fix.map_or("", Applicability::as_str)),
            plain(lint.name),
            plain(lint.summary),
        ]);
    }
    table.text(paint)
}

fn level_tone(level: Level) -> Tone {
    match level {
        Level::Error => Tone::Bad,
        Level::Warning => Tone::Warn,
        Level::Info => Tone::Plain,
    }
}

fn render_json(lints: &[&'static Lint]) -> String {
    let entry = |lint: &&'static Lint| Entry {
        code: lint.code,
        name: lint.name,
        level: lint.level.as_str(),
        group: kvrules::find_group(lint.code).map_or("", |(_, title)| title),
        fix: lint.fix.map(Applicability::as_str),
        summary: lint.summary,
    };
    let entries: Vec<_> = lints.iter().map(entry).collect();
    // The entries are strings, so writing them cannot fail.
    serde_json::to_string_pretty(&entries).unwrap_or_default() + "\n"
}

/// The list as the book has it, with links to the pages.
fn render_markdown(lints: &[&'static Lint]) -> String {
    let mut sections = Vec::new();
    for (prefix, title) in kvrules::lint_groups() {
        let rows: String = lints
            .iter()
            .filter(|lint| lint.code.starts_with(prefix))
            .map(|lint| markdown_row(lint))
            .collect();
        if !rows.is_empty() {
            let head = "| code | name | level | fix | finding |\n|---|---|---|---|---|\n";
            sections.push(format!("## {prefix}: {title}\n\n{head}{rows}"));
        }
    }
    sections.join("\n")
}

fn markdown_row(lint: &Lint) -> String {
    let Lint { code, name, level, fix, summary, .. } = lint;
    let page = format!("{code}-{}.md", name.replace('_', "-"));
    let (level, fix) = (level.as_str(), fix.map_or("", Applicability::as_str));
    format!("| [{code}]({page}) | `{name}` | {level} | {fix} | {} |\n", summary.replace('|', "\\|"))
}
