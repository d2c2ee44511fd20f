//! `kvrules migrate`: old forms of the annotation to the new one, with the proof that the rules mean what they meant.

mod human;
mod report;
mod run;
mod write;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::render::json_text;

pub(crate) use self::report::MigrationReport;

use self::run::{FileStanding, MigrationRun, take_on};
use crate::failure::{Failure, Status};
use crate::options::{Global, InputArgs, SubjectArgs};
use crate::outputs::{replace_file, unified_diff};
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error};

const EXAMPLES: &str = "\
Examples:
  kvrules migrate templates/           show the changes
  kvrules migrate --diff templates/    show them as a diff
  kvrules migrate --write templates/   write them
  kvrules migrate --check templates/   fail if a file is not migrated, for CI
  kvrules migrate --write --report migration.json templates/
  oc get templates -o yaml | kvrules migrate - > new.yaml

Without --write no file is changed. A file is migrated completely or not at all, and every other byte \
is preserved. A file is also left unchanged if a rule would give another verdict afterwards, unless \
--allow-changes is set.

Exit status:
  0  every file is in the new form, or was written
  1  a file would change, or a verdict would change and --allow-changes is not set
  2  a file could not be read, migrated or written; the other files are migrated anyway";

/// Migrate old forms of the annotation to the new one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Migrate {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Form to migrate to
    #[arg(long, value_name = "FORM", value_enum, default_value = "201902")]
    to: Form,
    #[command(flatten)]
    ways: OutputArgs,
    /// Write a report of changes and comparisons to this file, as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Migrate files even if verdicts change
    #[arg(long)]
    allow_changes: bool,
    /// Format the JSON of changed files as `kvrules fmt` does
    #[arg(long)]
    format: bool,
    /// Replace old paths of fields by newer ones, such as `resources.requests.memory` by `memory.guest`. The machines must change
    /// too, so this needs --allow-changes
    #[arg(long = "paths", id = "newer-paths")]
    newer_paths: bool,
}

/// Use of the result.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct OutputArgs {
    /// Write the files
    #[arg(long)]
    write: bool,
    /// Write nothing; list the files that would change, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Write nothing; show the changes as a diff, and fail if there are any
    #[arg(long)]
    diff: bool,
}

/// The forms of the annotation that are written today.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// `vm.kubevirt.io/validations` on the VirtualMachine, with `jsonpath::`
    #[value(name = "201902")]
    Of201902,
}

impl Migrate {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        self.is_possible()?;
        let settings = Settings::load(global, terminal)?;
        let catalog = settings.catalog(&self.subject)?;
        let Form::Of201902 = self.to;
        let mut run = take_on(self, &settings, &catalog)?;
        if self.ways.write && !self.is_stdin() {
            write::write_files(&mut run, &self.inputs)?;
        }
        self.show(&run, terminal)?;
        self.report_run(&run, terminal);
        self.write_report(&run, terminal)?;
        Ok(self.status(&run))
    }

    fn is_possible(&self) -> Result<(), Failure> {
        let report_is_printed = self.report.as_deref() == Some(Path::new("-"));
        if report_is_printed && (self.ways.diff || self.is_stdin()) {
            return Err(Failure::new("the report and the output cannot both go to standard output")
                .help("give `--report` a file"));
        }
        Ok(())
    }

    fn is_stdin(&self) -> bool {
        self.inputs.paths.iter().any(|path| path == Path::new("-"))
    }

    /// True if it works as a filter: reads standard input and prints the result.
    fn is_filter(&self) -> bool {
        self.is_stdin() && !self.ways.check && !self.ways.diff
    }

    /// Prints the results to standard output.
    fn show(&self, run: &MigrationRun, terminal: &mut Terminal) -> Result<(), Failure> {
        if self.report.as_deref() == Some(Path::new("-")) {
            return Ok(());
        }
        for (source, file) in run.each() {
            if self.is_filter() {
                // A filter copies a file that it cannot migrate, so that nothing is lost in a pipe.
                let is_changed = file.standing.would_change();
                terminal.print_file(if is_changed { &file.migration.text } else { source.text() })?;
                continue;
            }
            let text = if self.ways.diff {
                if file.standing.would_change() {
                    unified_diff(Path::new(source.name()), Some(source.text()), &file.migration.text)
                } else {
                    String::new()
                }
            } else if self.ways.check {
                human::file_name(source, file)
            } else {
                human::render_file(source, file, terminal.paint())
            };
            terminal.print(&text)?;
        }
        Ok(())
    }

    /// Reports to standard error: obstacles, verdicts that change, and a summary.
    fn report_run(&self, run: &MigrationRun, terminal: &Terminal) {
        let paint = terminal.paint_error();
        for (source, file) in run.each() {
            print_error(&human::in_the_way(run, source, file, paint));
            if matches!(file.standing, FileStanding::VerdictsChange) || self.ways.diff || self.is_filter() {
                print_error(&human::render_departures(source, file, paint));
            }
            if self.ways.diff || self.is_filter() {
                for note in human::manual_steps(source, file) {
                    terminal.note(&note);
                }
            }
        }
        run.unread.iter().for_each(|unread| terminal.unread(unread));
        run.vacant(self.inputs.allow_empty).report_vacant(terminal);
        terminal.print_status(&human::migration_summary(run, self.ways.write || self.is_filter()));
    }

    fn write_report(&self, run: &MigrationRun, terminal: &mut Terminal) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        let report = MigrationReport::of(run);
        let text =
            serde_json::to_string_pretty(&report).map_err(|error| Failure::new(error.to_string()))? + "\n";
        if path == Path::new("-") {
            terminal.print(&json_text(&text))
        } else {
            replace_file(path, &json_text(&text))
        }
    }

    fn status(&self, run: &MigrationRun) -> Status {
        let any = |fits: &dyn Fn(&FileStanding) -> bool| run.files.iter().any(|file| fits(&file.standing));
        let is_done = self.is_filter();
        if run.interrupted
            || !run.unread.is_empty()
            || run.vacant(self.inputs.allow_empty).is_fault()
            || any(&|standing| matches!(standing, FileStanding::Refused | FileStanding::WriteFailed(_)))
        {
            Status::RunError
        } else if any(&|standing| matches!(standing, FileStanding::VerdictsChange))
            || (!is_done && any(&FileStanding::would_change))
        {
            Status::Findings
        } else {
            Status::Clean
        }
    }
}
