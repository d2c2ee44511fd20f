//! The migration of many files: read and migrated on all processors, in the order in which they were named.

use std::collections::HashMap;
use std::path::PathBuf;

use kvrules::fmt::format_file;
use kvrules::migrate::{Migration, MigrationOptions, MigrationOutcome, migrate_file};
use kvrules::{Catalog, FileContents, Operation, SourceFile, Sources, detect_contents};
use rayon::prelude::*;

use super::Migrate;
use crate::failure::Failure;
use crate::inputs::{InputTexts, RequestedInput, VacantInputs, WantedContent, find_files, thread_pool};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::text::UnreadFile;

/// Result of a run.
#[derive(Debug, Default)]
pub(super) struct MigrationRun {
    /// The texts as they were, in the order of the files.
    pub(super) sources: Sources,
    /// The files that could be read, in the same order.
    pub(super) files: Vec<MigratedFile>,
    /// Those that could not.
    pub(super) unread: Vec<UnreadFile>,
    /// Inputs that were requested.
    pub(super) requested_inputs: Vec<RequestedInput>,
    /// True if the run was interrupted before everything was written.
    pub(super) interrupted: bool,
}

/// One file.
#[derive(Debug)]
pub(super) struct MigratedFile {
    /// Path of the file; `None` for standard input.
    pub(super) path: Option<PathBuf>,
    /// Its recognized contents.
    pub(super) contents: FileContents,
    /// Migration of its text.
    pub(super) migration: Migration,
    /// State of the file.
    pub(super) standing: FileStanding,
}

/// State of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileStanding {
    /// There is nothing to do.
    Current,
    /// It would change, and is not written or not yet.
    Pending,
    /// It was written.
    Written {
        /// Other names of the file, which still lead to the old text.
        other_names: u64,
    },
    /// Verdicts would change, and the options do not allow that.
    VerdictsChange,
    /// It cannot be migrated.
    Refused,
    /// It could be migrated and not be written.
    WriteFailed(WriteError),
}

/// Error for a file that was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WriteError {
    /// The reason.
    pub(super) message: String,
    /// Advice on what to do.
    pub(super) help: Option<String>,
}

impl FileStanding {
    fn of(migration: &Migration, source: &SourceFile, allow_changes: bool) -> Self {
        match migration.outcome() {
            MigrationOutcome::Refused => Self::Refused,
            MigrationOutcome::Changed if !allow_changes => Self::VerdictsChange,
            _ if migration.text == source.text() => Self::Current,
            _ => Self::Pending,
        }
    }

    /// True if the migration changes the file and it is not written yet.
    pub(super) fn would_change(&self) -> bool {
        matches!(self, Self::Pending)
    }
}

impl MigrationRun {
    /// The files, each with its text as it was.
    pub(super) fn each(&self) -> impl Iterator<Item = (&SourceFile, &MigratedFile)> {
        self.sources.files().iter().zip(&self.files)
    }

    /// The inputs in which nothing was recognized.
    pub(super) fn vacant(&self, allow_empty: bool) -> VacantInputs<'_> {
        let contents: HashMap<&str, &FileContents> =
            self.each().map(|(source, file)| (source.name(), &file.contents)).collect();
        VacantInputs::of_operation(&self.requested_inputs, allow_empty, Operation::Migrate, |file| {
            contents.get(file).copied()
        })
    }

    /// Returns the number of files in such a state.
    pub(super) fn count(&self, fits: impl Fn(&FileStanding) -> bool) -> usize {
        self.files.iter().filter(|file| fits(&file.standing)).count()
    }
}

/// Reads the files that the command line or the configuration names, and migrates their texts. Nothing is written.
pub(super) fn take_on(
    arguments: &Migrate,
    settings: &Settings,
    catalog: &Catalog,
) -> Result<MigrationRun, Failure> {
    let found = find_files(&arguments.inputs, settings, WantedContent::Rules)?;
    let pool = thread_pool(&arguments.inputs)?;
    let texts = pool.install(|| found.read_texts());
    let progress = Progress::new("migrating", texts.sources.files().len());
    let run = pool.install(|| {
        let InputTexts { sources, paths, unread, requested_inputs } = texts;
        let mut run = MigrationRun { sources, unread, requested_inputs, ..MigrationRun::default() };
        let files = run.sources.files().par_iter().zip(paths);
        run.files = files
            .map(|(source, path)| {
                let mut migration =
                    migrate_file(source, catalog, MigrationOptions { paths: arguments.newer_paths });
                if arguments.format {
                    lay_out(source, &mut migration);
                }
                progress.step();
                let standing = FileStanding::of(&migration, source, arguments.allow_changes);
                MigratedFile { path, contents: detect_contents(source), migration, standing }
            })
            .collect();
        run
    });
    progress.end();
    Ok(run)
}

/// Gives what was migrated the layout of `kvrules fmt`, which changes no value.
fn lay_out(source: &SourceFile, migration: &mut Migration) {
    if migration.text != source.text() {
        let text = std::mem::take(&mut migration.text);
        migration.text = format_file(&source.with_text(text)).text;
    }
}
