//! `kvrules fmt`: the JSON of rules and RuleSets in one layout, and every other byte as it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::fmt::{FormattedFile, format_file};
use kvrules::render::{RenderFormat, RenderOptions, one_line};
use kvrules::{FileContents, FileId, Level, Operation, SourceFile, Sources, detect_contents};
use rayon::prelude::*;

use crate::failure::{Failure, Status};
use crate::inputs::{InputSource, VacantInputs, WantedContent, find_files, thread_pool, unknown_files_note};
use crate::options::{Global, InputArgs};
use crate::outputs::{ReplaceError, replace_if_unchanged, sweep_beside, unified_diff};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error, render_findings};
use crate::text::UnreadFile;

const EXAMPLES: &str = "\
Examples:
  kvrules fmt templates/           format every file below a directory
  kvrules fmt --diff templates/    show what would change
  kvrules fmt --check              fail if an input of kvrules.toml is not formatted, for CI
  kvrules fmt - < old.yaml > new.yaml

The JSON inside annotations is formatted: keys in order, one per line, two spaces for each level. \
Numbers, escapes, parameters and all other bytes of a file are preserved. JSON with errors is unchanged.

RuleSets are formatted as well: keys in the order of the reference, two spaces for each level, and on one line what is in braces \
and fits. All values and comments are preserved.

Exit status:
  0  every file is formatted
  1  with --check or --diff, a file would change
  2  a file could not be read, formatted or written; the other files are formatted anyway";

/// Format RuleSets and the JSON of rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fmt {
    #[command(flatten)]
    inputs: InputArgs,
    /// Write nothing; list the files that would change, and fail if there are any
    #[arg(long, conflicts_with = "diff")]
    check: bool,
    /// Write nothing; show the changes as a diff, and fail if there are any
    #[arg(long)]
    diff: bool,
}

/// A file that was read.
struct FormattedInput {
    source: SourceFile,
    formatted: FormattedFile,
    contents: FileContents,
    /// The reason why the file was not written, if it should have been.
    unwritten: Option<ReplaceError>,
}

impl FormattedInput {
    fn changes(&self) -> bool {
        self.formatted.text != self.source.text()
    }
}

impl Fmt {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let found = find_files(&self.inputs, &settings, WantedContent::Rules)?;
        let places: Vec<_> = found.files.iter().filter_map(|input| self.place(input)).collect();
        sweep_beside(places.iter().map(PathBuf::as_path));
        let results: Vec<Result<FormattedInput, UnreadFile>> = thread_pool(&self.inputs)?
            .install(|| found.files.par_iter().map(|input| self.take_on(input)).collect());
        let (mut done, mut unread) = (Vec::new(), found.unread);
        for result in results {
            match result {
                Ok(file) => done.push(file),
                Err(file) => unread.push(file),
            }
        }
        done.iter().try_for_each(|file| self.show(file, terminal))?;
        let errors = report_problems(&done, terminal);
        for unread in &unread {
            terminal.unread(unread);
        }
        let contents: HashMap<&str, &FileContents> =
            done.iter().map(|file| (file.source.name(), &file.contents)).collect();
        let (allow_empty, operation) = (self.inputs.allow_empty, Operation::Format);
        let vacant = VacantInputs::of_operation(&found.requested_inputs, allow_empty, operation, |file| {
            contents.get(file).copied()
        });
        vacant.report_vacant(terminal);
        self.summarise(&done, terminal);
        let changes = done.iter().any(FormattedInput::changes);
        let failed = errors
            || vacant.is_fault()
            || !unread.is_empty()
            || done.iter().any(|file| file.unwritten.is_some());
        Ok(match (failed, changes && (self.check || self.diff)) {
            (true, _) => Status::RunError,
            (false, true) => Status::Findings,
            (false, false) => Status::Clean,
        })
    }

    /// Reads, formats and writes one file.
    fn take_on(&self, input: &InputSource) -> Result<FormattedInput, UnreadFile> {
        let source = SourceFile::new(FileId(0), input.name(), input.read()?);
        let contents = detect_contents(&source);
        let mut done = FormattedInput { formatted: format_file(&source), source, contents, unwritten: None };
        if let (Some(path), true) = (self.place(input), done.changes()) {
            done.unwritten = replace_if_unchanged(&path, done.source.text(), &done.formatted.text).err();
        }
        Ok(done)
    }

    /// Returns the path to write a result to; `None` if it is only shown.
    fn place(&self, input: &InputSource) -> Option<PathBuf> {
        match input {
            InputSource::File(path) | InputSource::Searched(path) if !self.check && !self.diff => {
                Some(path.clone())
            }
            _ => None,
        }
    }

    /// True if it works as a filter: reads standard input and prints the result.
    fn is_filter(&self) -> bool {
        let is_stdin = self.inputs.paths.iter().any(|path| path == Path::new("-"));
        is_stdin && !self.check && !self.diff
    }

    /// Prints the result of a file to standard output.
    fn show(&self, file: &FormattedInput, terminal: &mut Terminal) -> Result<(), Failure> {
        let (name, text) = (file.source.name(), &file.formatted.text);
        if self.is_filter() {
            return terminal.print_file(text);
        }
        match (file.changes(), self.diff, self.check) {
            (true, true, _) => terminal.print(&unified_diff(Path::new(name), Some(file.source.text()), text)),
            (true, _, true) => terminal.print(&format!("{}\n", one_line(name))),
            _ => Ok(()),
        }
    }

    fn summarise(&self, done: &[FormattedInput], terminal: &Terminal) {
        let changed = done.iter().filter(|file| file.changes() && file.unwritten.is_none()).count();
        let is_only_shown = self.check || self.diff;
        let rest = done
            .iter()
            .filter(|file| !file.changes() && file.contents.has_input_of(Operation::Format))
            .count();
        let is_without = |file: &&FormattedInput| {
            file.contents.is_known() && !file.contents.has_input_of(Operation::Format)
        };
        let without = done.iter().filter(is_without).count();
        let strangers = done.iter().filter(|file| !file.contents.is_known()).count();
        let summary = match (changed, is_only_shown) {
            (0, _) if rest == 0 => "nothing was formatted".to_owned(),
            (0, true) => "nothing would change".to_owned(),
            (_, true) => format!("would format {}, {rest} unchanged", count_noun(changed, "file")),
            (_, false) => format!("formatted {}, {rest} unchanged", count_noun(changed, "file")),
        };
        let without = if without == 0 { String::new() } else { format!(", {without} without rules") };
        terminal.print_status(&(summary + &without + &unknown_files_note(strangers)));
    }
}

/// Says what kept its layout and what could not be written. True where something is wrong with the rules.
fn report_problems(done: &[FormattedInput], terminal: &Terminal) -> bool {
    let mut sources = Sources::default();
    let mut left = Vec::new();
    for file in done.iter().filter(|file| !file.formatted.left.is_empty()) {
        let id = sources.add_file(file.source.name(), file.source.text());
        left.extend(file.formatted.left.iter().map(|found| {
            let mut found = found.clone();
            found.primary.span.file = id;
            found
        }));
    }
    let options = RenderOptions { color: terminal.paint_error().0, ..RenderOptions::default() };
    print_error(&render_findings(RenderFormat::Human, &left, &sources, &options));
    let unwritten = done.iter().filter_map(|file| Some((file.source.name(), file.unwritten.as_ref()?)));
    for (name, why) in unwritten {
        terminal.failure(&why.failure(name));
    }
    left.iter().any(|found| found.level == Level::Error)
}
