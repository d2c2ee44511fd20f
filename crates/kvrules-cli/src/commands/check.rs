//! `kvrules check`: what is wrong with the rules.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use kvrules::render::{Format, Options, render};
use kvrules::{Diagnostic, Level};

use crate::failure::{Failure, Status};
use crate::inputs::{Loaded, load};
use crate::options::{Global, InputArgs, SubjectArgs};
use crate::outputs::replace;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kvrules check                        check what kvrules.toml names
  kvrules check templates/ vm.yaml     check a directory and a file
  kvrules check 'templates/**/*.yaml'  check what a glob matches
  oc get templates -o yaml | kvrules check -
  kvrules check --output-format sarif --output-file kvrules.sarif templates/

Findings go to standard output, the summary to standard error.

Exit status:
  0  there is no finding at the level of --fail-on or above, shown or not
  1  there is one
  2  something could not be read or understood";

/// Check rules, and say what is wrong with them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// How findings are shown
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = format())]
    output_format: Format,
    /// Write findings to this file
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,
    /// The lowest level of findings that are shown; the summary counts the others [default: warning, or that of
    /// --fail-on where it is lower]
    #[arg(long, value_name = "LEVEL", value_enum)]
    level: Option<Lowest>,
    /// The lowest level of findings that makes the exit status 1
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "error")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Lowest {
    Error,
    Warning,
    Info,
}

impl Lowest {
    fn level(self) -> Level {
        match self {
            Self::Error => Level::Error,
            Self::Warning => Level::Warning,
            Self::Info => Level::Info,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn includes(self, level: Level) -> bool {
        match self {
            Self::Error => level >= Level::Error,
            Self::Warning => level >= Level::Warning,
            Self::Info => level >= Level::Info,
            Self::Never => false,
        }
    }
}

fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::from_name(&name).ok_or("there is no such format"))
}

impl Check {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let catalog = settings.catalog(&self.subject)?;
        let loaded = load(&self.inputs, &settings, &catalog)?;
        let diagnostics = loaded.diagnostics();
        let lowest = self.lowest();
        let (shown, hidden): (Vec<_>, Vec<_>) =
            diagnostics.iter().cloned().partition(|found| found.level >= lowest);
        self.show(&shown, &loaded, terminal)?;
        loaded.unread.iter().for_each(|unread| terminal.unread(unread));
        conclude(&loaded, &hidden, terminal);
        let failing = diagnostics.iter().any(|found| self.fail_on.includes(found.level));
        Ok(match (loaded.unread.is_empty(), failing) {
            (false, _) => Status::Trouble,
            (true, true) => Status::Findings,
            (true, false) => Status::Clean,
        })
    }

    /// The lowest level that is shown. What makes the exit status 1 is shown unless it is asked to be hidden.
    fn lowest(&self) -> Level {
        let usual = if self.fail_on.includes(Level::Info) { Level::Info } else { Level::Warning };
        self.level.map_or(usual, Lowest::level)
    }

    fn show(&self, found: &[Diagnostic], loaded: &Loaded, terminal: &mut Terminal) -> Result<(), Failure> {
        let paint = if self.output_file.is_some() { terminal.paint_file() } else { terminal.paint() };
        let options = Options { color: paint.0, tool_version: kvrules::VERSION.to_owned(), width: None };
        let text = render(self.output_format, found, &loaded.sources, &options);
        match &self.output_file {
            Some(path) => replace(path, &text),
            // A blank line parts the last excerpt from the summary.
            None if self.output_format == Format::Human && !text.is_empty() => {
                terminal.print(&format!("{text}\n"))
            }
            None => terminal.print(&text),
        }
    }
}

/// The summary, and a note when there was nothing to check.
fn conclude(loaded: &Loaded, hidden: &[Diagnostic], terminal: &Terminal) {
    if loaded.rules() == 0 && !loaded.readings.is_empty() {
        terminal.note(&format!("no rules were found in {}", count(loaded.readings.len(), "file")));
    }
    let unread = match loaded.unread.len() {
        0 => String::new(),
        number => format!("; {} could not be read", count(number, "file")),
    };
    terminal.say(&format!("{}{}{unread}", loaded.summary(), unshown(hidden)));
}

/// How to see the findings that were not shown.
fn unshown(hidden: &[Diagnostic]) -> String {
    let has = |level: Level| hidden.iter().any(|found| found.level == level);
    match (has(Level::Warning), has(Level::Info)) {
        (false, false) => String::new(),
        (true, false) => "; `--level warning` shows the warnings".to_owned(),
        (false, true) => "; `--level info` shows the notes".to_owned(),
        (true, true) => "; `--level info` shows all of them".to_owned(),
    }
}
